-- Appends frames of one session: whole or not at all, by its owner alone, numbers without a hole.
--
-- KEYS  events, meta
-- ARGV  hold, time to live while open, time to live once ended, most events, most bytes, then for each frame: number, kind, object,
--       reduced object ('' where there is none)
-- Gives a code and the newest number: 0 stored, 1 other bytes are there, 2 closed, 3 gone, 4 something before
-- it is missing, 5 another node has taken the session over.
local meta = redis.call('HMGET', KEYS[2], 'h', 'n', 'x', 'b', 'f', 's')
if not meta[1] then
    return {3, 0} -- Never brought back: what has expired stays gone.
end
local newest = tonumber(meta[2])
if meta[1] ~= ARGV[1] then
    return {5, newest}
end
local was_ended = meta[3] == '1'
local ended = was_ended
local bytes, first, since = tonumber(meta[4]), tonumber(meta[5]), tonumber(meta[6])

local at = newest
for i = 6, #ARGV, 4 do
    local seq = tonumber(ARGV[i])
    if seq <= newest then
        -- Said before, and the answer was lost: the same bytes are the same event. What this owner wrote and what was trimmed
        -- since then needs no comparison, because nobody else could write it.
        if seq >= first or seq <= since then
            local kept = redis.call('XRANGE', KEYS[1], seq .. '-0', seq .. '-0')[1]
            local same = kept and kept[2][2] == ARGV[i + 1] and kept[2][4] == ARGV[i + 2] and (kept[2][6] or '') == ARGV[i + 3]
            if not same then
                return {was_ended and 2 or 1, newest}
            end
        end
    elseif ended then
        return {2, newest}
    elseif seq ~= at + 1 then
        return {4, newest}
    else
        at = seq
        ended = ARGV[i + 1] == 'result' or ARGV[i + 1] == 'error'
    end
end
if at == newest then
    -- Something is written all the same, so that waiting for replicas covers the first attempt too.
    redis.call('PEXPIRE', KEYS[2], ended and ARGV[3] or ARGV[2])
    return {0, newest}
end

for i = 6, #ARGV, 4 do
    local seq = tonumber(ARGV[i])
    if seq > newest then
        if ARGV[i + 3] == '' then
            redis.call('XADD', KEYS[1], seq .. '-0', 'k', ARGV[i + 1], 'j', ARGV[i + 2])
        else
            redis.call('XADD', KEYS[1], seq .. '-0', 'k', ARGV[i + 1], 'j', ARGV[i + 2], 'r', ARGV[i + 3])
        end
        bytes = bytes + #ARGV[i + 2] + #ARGV[i + 3]
    end
end

-- Only the front is trimmed, exactly. The newest stays, and the end is not counted.
local last = ended and at - 1 or at
local most, most_bytes = tonumber(ARGV[4]), tonumber(ARGV[5])
local from = first
while first < last and (last - first + 1 > most or bytes > most_bytes) do
    local oldest = redis.call('XRANGE', KEYS[1], first .. '-0', first .. '-0')[1]
    if oldest then
        bytes = bytes - #oldest[2][4] - #(oldest[2][6] or '')
    end
    first = first + 1
end
if first > from then
    redis.call('XTRIM', KEYS[1], 'MINID', '=', first .. '-0')
end

redis.call('HSET', KEYS[2], 'n', at, 'x', ended and '1' or '0', 'b', bytes, 'f', first)
if newest == 0 or ended then
    local left = ended and ARGV[3] or ARGV[2]
    redis.call('PEXPIRE', KEYS[1], left)
    redis.call('PEXPIRE', KEYS[2], left)
end
return {0, at}

-- Takes over a session whose owner has lost its lease. From here on the old owner is fenced.
--
-- KEYS  meta, the lease of the old owner, the sessions of the old owner, the sessions of the new one
-- ARGV  the old owner, the new owner, id, a new numbering for a session whose readers may have been shown what is not stored
-- Gives a code, and where it was taken over the new term, the newest number and what is known about it: 0 taken, 1 the owner is
-- alive or another one took it, 2 it has ended, 3 it is gone.
if redis.call('EXISTS', KEYS[2]) == 1 then
    return {1}
end
local meta = redis.call('HMGET', KEYS[1], 'h', 't', 'n', 'x', 'a')
if not meta[1] or meta[4] == '1' then
    redis.call('SREM', KEYS[3], ARGV[3])
    return {meta[1] and 2 or 3}
end
if meta[1] ~= ARGV[1] .. ':' .. meta[2] then
    redis.call('SREM', KEYS[3], ARGV[3])
    return {1}
end
local about = meta[5]
if string.find(about, '"g":true', 1, true) then
    about = string.gsub(about, '"e":%d+', '"e":' .. ARGV[4], 1)
end
local term = tonumber(meta[2]) + 1
redis.call('HSET', KEYS[1], 'h', ARGV[2] .. ':' .. term, 't', term, 's', meta[3], 'a', about)
redis.call('SADD', KEYS[4], ARGV[3])
redis.call('SREM', KEYS[3], ARGV[3])
return {0, term, meta[3], about}

-- Reads a run of events, and what there is around it. Creates nothing.
--
-- KEYS  events, meta
-- ARGV  from, most
-- Gives what is known about the session, newest, oldest, whether it has ended, events; nothing when it is gone.
local meta = redis.call('HMGET', KEYS[2], 'a', 'n', 'f', 'x')
if not meta[1] then
    return false
end
local from = math.max(tonumber(ARGV[1]), tonumber(meta[3]))
local events = redis.call('XRANGE', KEYS[1], from .. '-0', '+', 'COUNT', ARGV[2])
return {meta[1], meta[2], meta[3], meta[4], events}

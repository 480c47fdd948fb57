-- Removes a session, if it is still its owner who asks.
--
-- KEYS  events, meta, letters, the sessions of this node
-- ARGV  hold, id
redis.call('SREM', KEYS[4], ARGV[2])
if redis.call('HGET', KEYS[2], 'h') ~= ARGV[1] then
    return 0
end
redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
return 1

-- Makes an empty session, unless its id is taken.
--
-- KEYS  meta, the sessions of this node, the nodes that have sessions
-- ARGV  hold, what is known about it, time to live, id, the number its events begin behind, this node
-- Gives 0 when it is there and ours, 1 when it is somebody else's.
local hold = redis.call('HGET', KEYS[1], 'h')
if hold then
    return hold == ARGV[1] and 0 or 1
end
redis.call('HSET', KEYS[1], 'h', ARGV[1], 't', 1, 'n', ARGV[5], 'x', '0', 'b', 0, 'f', ARGV[5] + 1, 's', 0, 'a', ARGV[2])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
redis.call('SADD', KEYS[2], ARGV[4])
-- A node may die before it first says that it is alive. Its sessions have to be found all the same.
redis.call('SADD', KEYS[3], ARGV[6])
return 0

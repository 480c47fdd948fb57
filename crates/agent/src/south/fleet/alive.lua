-- ARGV node, life, lease, whether it begins. A process that begins takes the name from the one before it, which is fenced from then on.
local holder = redis.call('GET', fleet .. 'node:' .. ARGV[1])
if holder and holder ~= ARGV[2] and ARGV[4] ~= '1' then
    return {'fenced'}
end
redis.call('SET', fleet .. 'node:' .. ARGV[1], ARGV[2], 'PX', ARGV[3])
return {'ok'}

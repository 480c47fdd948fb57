-- KEYS[2] line; ARGV hash, now, node, life, token, forget what is older, lines, bytes, how many are forgotten at once, lease
local holder = redis.call('GET', fleet .. 'node:' .. ARGV[3])
if holder and holder ~= ARGV[4] then
    return {'fenced'}
end
redis.call('SET', fleet .. 'node:' .. ARGV[3], ARGV[4], 'PX', ARGV[10])
for _, key in ipairs(redis.call('ZRANGEBYSCORE', fleet .. 'ages', '-inf', '(' .. ARGV[6], 'LIMIT', 0, ARGV[9])) do
    local old = line_of(key)
    if not old or old[2] ~= 'running' then
        forget(key)
    end
end
local line = line_of(KEYS[2])
if line then
    if line[1] ~= ARGV[1] then
        return {'reused'}
    elseif line[2] == 'running' then
        -- The same question again, because its answer was lost.
        return {line[6] == ARGV[5] and 'run' or 'running'}
    end
    return {line[2] == 'done' and 'replay' or 'unknown'}
end
if redis.call('ZCARD', fleet .. 'ages') >= tonumber(ARGV[7])
    or tonumber(redis.call('GET', fleet .. 'bytes') or '0') >= tonumber(ARGV[8]) then
    return {'full'}
end
redis.call('HSET', KEYS[2], 'hash', ARGV[1], 'state', 'running', 'since', ARGV[2], 'node', ARGV[3], 'life', ARGV[4], 'token', ARGV[5])
redis.call('ZADD', fleet .. 'ages', ARGV[2], KEYS[2])
return {'run'}

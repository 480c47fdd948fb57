-- KEYS[2] line; ARGV token, state (done, unknown, or nothing to take the line back), status, body
local line = redis.call('HMGET', KEYS[2], 'state', 'token', 'node', 'life')
if line[2] ~= ARGV[1] then
    return {'late'}
elseif line[1] ~= 'running' then
    -- The same words again, because their answer was lost; or somebody has said meanwhile that nobody knows.
    return {line[1] == ARGV[2] and 'ok' or 'late'}
end
local holder = redis.call('GET', fleet .. 'node:' .. line[3])
if holder and holder ~= line[4] then
    -- A new process has the name: what ran in the one before is unknown.
    redis.call('HSET', KEYS[2], 'state', 'unknown')
    return {'late'}
elseif ARGV[2] == '' then
    forget(KEYS[2])
    return {'ok'}
end
redis.call('HSET', KEYS[2], 'state', ARGV[2])
if ARGV[2] == 'done' then
    redis.call('HSET', KEYS[2], 'status', ARGV[3], 'body', ARGV[4])
    redis.call('INCRBY', fleet .. 'bytes', #ARGV[4])
end
return {'ok'}

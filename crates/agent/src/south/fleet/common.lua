-- The ledger of a fleet. Every key begins with KEYS[1], whose braces keep them in one slot:
--   a:<agent> <action>   a line: hash, state, since, node, life, token, status, body
--   ages                 the lines by the time they began
--   bytes                how large all answers are
--   node:<name>          the life of the process that has this name; it expires when the process is not heard of
--   nonce:<agent> <n>    a nonce that was used
local fleet = KEYS[1]
-- A line. What runs in a process that is gone is unknown, from now on and for good.
local function line_of(key)
    local line = redis.call('HMGET', key, 'hash', 'state', 'since', 'node', 'life', 'token', 'status', 'body')
    if not line[1] then
        return nil
    end
    if line[2] == 'running' and redis.call('GET', fleet .. 'node:' .. line[4]) ~= line[5] then
        redis.call('HSET', key, 'state', 'unknown')
        line[2] = 'unknown'
    end
    return line
end
local function forget(key)
    local size = redis.call('HSTRLEN', key, 'body')
    if size > 0 then
        redis.call('DECRBY', fleet .. 'bytes', size)
    end
    redis.call('DEL', key)
    redis.call('ZREM', fleet .. 'ages', key)
end

-- KEYS[2] nonce; ARGV a token of this question, seconds
if redis.call('SET', KEYS[2], ARGV[1], 'NX', 'EX', ARGV[2]) then
    return {'new'}
end
-- The same question again, because its answer was lost.
return {redis.call('GET', KEYS[2]) == ARGV[1] and 'new' or 'before'}

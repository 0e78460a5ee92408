-- An expression: the class of `query`, the first of these that fits, so that classes exclude each
-- other. empty: nothing but white space. question: ends with a question mark, or begins with a word
-- that asks in English, German, French, Spanish, Italian, Portuguese or Dutch (accents do not
-- matter, as few searchers type them; words that more often begin something else, such as "can",
-- "che" and "chi", are left out). with_number: holds a digit. long: six words or more. keyword: all
-- else.
CASE
    WHEN NOT regexp_matches(query, '[^\s\x0b\x{85}\p{Z}]') THEN 'empty'
    WHEN regexp_matches(query, '^[\s\p{Z}]*¿|[?？؟][\s\p{Z}]*$')
        OR regexp_matches(strip_accents(lower(query)), '^[\s\p{Z}]*(what|who|whom|whose|which|when|where|why|how|was|wer|wen|wem|wessen|welche[rsnm]?|wann|wo|woher|wohin|womit|wozu|wofur|warum|wieso|weshalb|wie|wieviele?|que|qui|quoi|quel(le)?s?|quand|ou|pourquoi|comment|combien|est-ce|qu''est-ce|quien(es)?|cual(es)?|cuando|donde|adonde|por que|como|cuant[oa]s?|cosa|che cosa|quale|quali|quando|dove|perche|come|quant[oaie]s?|wat|waar|waarom|waarmee|wanneer|hoe|hoeveel|welke?|wiens|o que|quem|qual|quais|onde|aonde)([^\p{L}\p{M}\p{N}_]|$)')
        THEN 'question'
    WHEN regexp_matches(query, '\p{Nd}') THEN 'with_number'
    WHEN regexp_matches(query, '([^\s\x0b\x{85}\p{Z}]+[\s\x0b\x{85}\p{Z}]+){5}[^\s\x0b\x{85}\p{Z}]') THEN 'long'
    ELSE 'keyword'
END

-- Inputs: daily_returns, listings, benchmarks. Grain: country and session. The move of the country's benchmark where one is listed
-- and has bars, else the equal-weighted mean over its common shares and trust units; moves beyond +-50 % a day are left out of the
-- mean, being splits that nobody reported more often than news.
select l.country, r.date, sum(r.move)::double / count(*) as move
from daily_returns as r
join listings as l on l.id = r.id
left join benchmarks as b on b.country = l.country
where case when b.id is null then l.type in ('common', 'trust_unit') and abs(r.move) < 0.5 else r.id = b.id end
group by all

-- The series with any observation, each with one of its documents.
select series, min(raw_sha256) as raw_sha256, arg_min(source, raw_sha256) as source from macro_observations group by series
union all
select 'bank-of-canada:' || series, min(raw_sha256), arg_min(source, raw_sha256) from fx_rates group by series
order by series

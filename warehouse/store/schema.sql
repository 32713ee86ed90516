-- The structure that the migrations make: for reading, and compared by schema.test.ts. Never edited, never run.
-- Rewritten by: npm test -- warehouse/store/schema.test.ts -u

CREATE OR REPLACE FUNCTION public.notify_release_state()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform pg_notify('crossfile_release', '');
  return null;
end
$function$;

CREATE OR REPLACE FUNCTION public.own_captured_email()
 RETURNS trigger
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO '$user', 'public'
AS $function$
begin
  update email_capture set user_id = new.user_id where email_key = new.email_key;
  return new;
end $function$;

CREATE OR REPLACE FUNCTION public.protect_user_table(name regclass)
 RETURNS void
 LANGUAGE plpgsql
AS $function$
begin
  execute format('alter table %s enable row level security', name);
  execute format('create policy own_rows on %s using (user_id = current_setting(''app.uid'', true)) with check (user_id = current_setting(''app.uid'', true))', name);
  if exists (select from pg_roles where rolname = 'crossfile_user') then
    execute format('grant select, insert, update, delete on %s to crossfile_user', name);
  end if;
end $function$;

CREATE OR REPLACE FUNCTION public.refuse_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception '% is append-only', tg_table_name;
end $function$;

create table public.account_request (
  request_id bigint generated always as identity not null,
  user_id text not null,
  kind text not null,
  note text,
  target_tier text,
  received_at timestamp with time zone not null,
  eligible_at timestamp with time zone not null,
  fulfilled_at timestamp with time zone,
  fulfilled_by text,
  constraint account_request_pkey PRIMARY KEY (request_id),
  constraint account_request_check CHECK (((fulfilled_at IS NULL) = (fulfilled_by IS NULL))),
  constraint account_request_check1 CHECK (((kind = 'change_tier'::text) = (target_tier IS NOT NULL))),
  constraint account_request_kind_check CHECK ((kind = ANY (ARRAY['change_tier'::text, 'cancel'::text]))),
  constraint account_request_note_check CHECK ((length(note) <= 500)),
  constraint account_request_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX account_request_open ON public.account_request USING btree (user_id, kind) WHERE (fulfilled_at IS NULL);
CREATE INDEX account_request_user ON public.account_request USING btree (user_id, request_id);
alter table public.account_request enable row level security;
create policy own_rows on account_request for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.admin_recovery_code (
  user_id text not null,
  hmac bytea not null,
  used_at timestamp with time zone,
  constraint admin_recovery_code_pkey PRIMARY KEY (user_id, hmac),
  constraint admin_recovery_code_hmac_check CHECK ((length(hmac) = 32)),
  constraint admin_recovery_code_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
alter table public.admin_recovery_code enable row level security;
create policy own_rows on admin_recovery_code for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.admin_totp (
  user_id text not null,
  secret bytea,
  confirmed_at timestamp with time zone,
  pending bytea,
  pending_at timestamp with time zone,
  last_step bigint default 0 not null,
  tries integer default 0 not null,
  tries_since timestamp with time zone default '-infinity'::timestamp with time zone not null,
  constraint admin_totp_pkey PRIMARY KEY (user_id),
  constraint admin_totp_check CHECK (((secret IS NULL) = (confirmed_at IS NULL))),
  constraint admin_totp_check1 CHECK (((pending IS NULL) = (pending_at IS NULL))),
  constraint admin_totp_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
alter table public.admin_totp enable row level security;
create policy own_rows on admin_totp for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.alert (
  alert_id text not null,
  user_id text not null,
  scope text not null,
  ticker text not null,
  instrument_id text,
  condition text not null,
  threshold numeric,
  baseline_price numeric,
  condition2 text,
  threshold2 numeric,
  logic text,
  note text,
  status text not null,
  armed integer default 1 not null,
  armed_at timestamp with time zone not null,
  triggered_at timestamp with time zone,
  triggered_price numeric,
  triggered_symbol text,
  created_at timestamp with time zone not null,
  constraint alert_pkey PRIMARY KEY (alert_id),
  constraint alert_baseline_price_check CHECK ((baseline_price > (0)::numeric)),
  constraint alert_logic_check CHECK ((logic = ANY (ARRAY['AND'::text, 'OR'::text]))),
  constraint alert_note_check CHECK ((length(note) <= 256)),
  constraint alert_scope_check CHECK ((scope = ANY (ARRAY['ticker'::text, 'watchlist'::text]))),
  constraint alert_status_check CHECK ((status = ANY (ARRAY['active'::text, 'triggered'::text, 'dismissed'::text]))),
  constraint alert_threshold2_check CHECK ((threshold2 > (0)::numeric)),
  constraint alert_threshold_check CHECK ((threshold > (0)::numeric)),
  constraint alert_ticker_check CHECK (((length(ticker) >= 1) AND (length(ticker) <= 16))),
  constraint alert_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
CREATE INDEX alert_armed ON public.alert USING btree (armed_at) WHERE (status = 'active'::text);
CREATE INDEX alert_user ON public.alert USING btree (user_id, created_at DESC, alert_id DESC);
alter table public.alert enable row level security;
create policy own_rows on alert for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.alert_delivery (
  firing_id text not null,
  channel text not null,
  user_id text not null,
  queued_at timestamp with time zone not null,
  skipped text,
  constraint alert_delivery_pkey PRIMARY KEY (firing_id, channel),
  constraint alert_delivery_channel_check CHECK ((channel = ANY (ARRAY['api'::text, 'mail'::text, 'push'::text]))),
  constraint alert_delivery_firing_id_fkey FOREIGN KEY (firing_id) REFERENCES alert_firing(firing_id) ON DELETE CASCADE,
  constraint alert_delivery_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
CREATE INDEX alert_delivery_user ON public.alert_delivery USING btree (user_id);
alter table public.alert_delivery enable row level security;
create policy own_rows on alert_delivery for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.alert_firing (
  firing_id text not null,
  user_id text not null,
  alert_id text,
  ipo_alert_id text,
  armed integer not null,
  subject text not null,
  fired_at timestamp with time zone not null,
  release bigint not null,
  price numeric,
  rule text not null,
  ruleset text not null,
  inputs jsonb not null,
  bars jsonb not null,
  constraint alert_firing_pkey PRIMARY KEY (firing_id),
  constraint alert_firing_alert_id_armed_subject_key UNIQUE (alert_id, armed, subject),
  constraint alert_firing_ipo_alert_id_subject_key UNIQUE (ipo_alert_id, subject),
  constraint alert_firing_check CHECK (((alert_id IS NULL) <> (ipo_alert_id IS NULL))),
  constraint alert_firing_alert_id_fkey FOREIGN KEY (alert_id) REFERENCES alert(alert_id) ON DELETE CASCADE,
  constraint alert_firing_ipo_alert_id_fkey FOREIGN KEY (ipo_alert_id) REFERENCES ipo_alert(ipo_alert_id) ON DELETE CASCADE,
  constraint alert_firing_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
CREATE INDEX alert_firing_alert ON public.alert_firing USING btree (alert_id, fired_at DESC, firing_id);
CREATE INDEX alert_firing_user ON public.alert_firing USING btree (user_id, fired_at DESC, firing_id);
alter table public.alert_firing enable row level security;
create policy own_rows on alert_firing for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.alert_round (
  kind text not null,
  release bigint not null,
  day date not null,
  read_at timestamp with time zone not null,
  constraint alert_round_pkey PRIMARY KEY (kind),
  constraint alert_round_kind_check CHECK ((kind = ANY (ARRAY['price'::text, 'ipo'::text])))
);

create table public.alert_symbol (
  alert_id text not null,
  user_id text not null,
  symbol text not null,
  baseline_price numeric,
  priced_on date,
  splits jsonb default '[]'::jsonb not null,
  holds boolean,
  release bigint not null,
  constraint alert_symbol_pkey PRIMARY KEY (alert_id, symbol),
  constraint alert_symbol_alert_id_fkey FOREIGN KEY (alert_id) REFERENCES alert(alert_id) ON DELETE CASCADE,
  constraint alert_symbol_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
CREATE INDEX alert_symbol_user ON public.alert_symbol USING btree (user_id);
alter table public.alert_symbol enable row level security;
create policy own_rows on alert_symbol for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.api_key (
  key_id text not null,
  name text not null,
  owner text,
  sha256 bytea not null,
  last4 text not null,
  tier text not null,
  scopes text[] not null,
  allowed_addresses text[] default '{}'::text[] not null,
  created_at timestamp with time zone default now() not null,
  expires_at timestamp with time zone,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  last_used_as text,
  last_in_query_at timestamp with time zone,
  constraint api_key_pkey PRIMARY KEY (key_id),
  constraint api_key_sha256_key UNIQUE (sha256),
  constraint api_key_last4_check CHECK ((length(last4) = 4)),
  constraint api_key_name_check CHECK (((length(name) >= 1) AND (length(name) <= 100))),
  constraint api_key_sha256_check CHECK ((length(sha256) = 32)),
  constraint api_key_owner_fkey FOREIGN KEY (owner) REFERENCES app_user(user_id) ON DELETE CASCADE
);
CREATE INDEX api_key_owner ON public.api_key USING btree (owner, created_at DESC, key_id) WHERE (owner IS NOT NULL);
alter table public.api_key enable row level security;
create policy own_rows on api_key for all using ((owner = current_setting('app.uid'::text, true))) with check ((owner = current_setting('app.uid'::text, true)));

create table public.app_user (
  user_id text not null,
  email text not null,
  email_key text not null,
  full_name text,
  display_name text,
  password_hash text,
  tier text default 'free'::text not null,
  tier_since timestamp with time zone default clock_timestamp() not null,
  billing_status text default 'none'::text not null,
  is_active boolean default true not null,
  is_admin boolean default false not null,
  email_verified_at timestamp with time zone,
  subject_key bytea not null,
  created_at timestamp with time zone default clock_timestamp() not null,
  last_login_at timestamp with time zone,
  erasure_requested_at timestamp with time zone,
  is_reviewer boolean default false not null,
  constraint app_user_pkey PRIMARY KEY (user_id),
  constraint app_user_email_key_key UNIQUE (email_key),
  constraint app_user_display_name_check CHECK ((length(display_name) <= 100)),
  constraint app_user_email_check CHECK (((length(email) >= 3) AND (length(email) <= 254))),
  constraint app_user_full_name_check CHECK ((length(full_name) <= 200)),
  constraint app_user_subject_key_check CHECK ((length(subject_key) = 32))
);
CREATE INDEX app_user_admin ON public.app_user USING btree (user_id) WHERE is_admin;
CREATE INDEX app_user_email_beginning ON public.app_user USING btree (email_key text_pattern_ops);
CREATE INDEX app_user_newest ON public.app_user USING btree (created_at DESC, user_id);
CREATE TRIGGER app_user_owns_capture AFTER UPDATE OF email_verified_at ON public.app_user FOR EACH ROW WHEN (((new.email_verified_at IS NOT NULL) AND (old.email_verified_at IS NULL))) EXECUTE FUNCTION own_captured_email();
alter table public.app_user enable row level security;
create policy own_rows on app_user for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.assistant_feedback (
  feedback_id text not null,
  user_id text not null,
  vote text not null,
  query text not null,
  answer text not null,
  model text not null,
  session_id text not null,
  created_at timestamp with time zone not null,
  constraint assistant_feedback_pkey PRIMARY KEY (feedback_id),
  constraint assistant_feedback_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
CREATE INDEX assistant_feedback_age ON public.assistant_feedback USING btree (created_at);
CREATE INDEX assistant_feedback_user ON public.assistant_feedback USING btree (user_id, created_at);
alter table public.assistant_feedback enable row level security;
create policy own_rows on assistant_feedback for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.assistant_profile (
  user_id text not null,
  about_me text default ''::text not null,
  my_voice text default ''::text not null,
  my_rules text default ''::text not null,
  sharia_standard text default ''::text not null,
  jurisdiction text default ''::text not null,
  sectors text[] default '{}'::text[] not null,
  updated_at timestamp with time zone not null,
  constraint assistant_profile_pkey PRIMARY KEY (user_id),
  constraint assistant_profile_about_me_check CHECK ((length(about_me) <= 4000)),
  constraint assistant_profile_jurisdiction_check CHECK ((length(jurisdiction) <= 64)),
  constraint assistant_profile_my_rules_check CHECK ((length(my_rules) <= 4000)),
  constraint assistant_profile_my_voice_check CHECK ((length(my_voice) <= 4000)),
  constraint assistant_profile_sectors_check CHECK ((cardinality(sectors) <= 50)),
  constraint assistant_profile_sharia_standard_check CHECK ((length(sharia_standard) <= 64)),
  constraint assistant_profile_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
alter table public.assistant_profile enable row level security;
create policy own_rows on assistant_profile for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.audit_entry (
  seq bigint not null,
  at timestamp with time zone not null,
  actor text not null,
  act text not null,
  subject text not null,
  details jsonb not null,
  previous bytea not null,
  hash bytea not null,
  constraint audit_entry_pkey PRIMARY KEY (seq),
  constraint audit_entry_hash_key UNIQUE (hash),
  constraint audit_entry_hash_check CHECK ((length(hash) = 32)),
  constraint audit_entry_previous_check CHECK ((length(previous) = 32))
);
CREATE INDEX audit_entry_actor ON public.audit_entry USING btree (actor, seq);
CREATE INDEX audit_entry_subject ON public.audit_entry USING btree (subject, seq);
CREATE TRIGGER audit_entry_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table public.backfill (
  backfill_id bigint generated always as identity not null,
  job text not null,
  from_date date not null,
  to_date date not null,
  symbols text[],
  requested_at timestamp with time zone default clock_timestamp() not null,
  constraint backfill_pkey PRIMARY KEY (backfill_id),
  constraint backfill_job_from_date_to_date_symbols_key UNIQUE NULLS NOT DISTINCT (job, from_date, to_date, symbols)
);

create table public.backfill_window (
  backfill_id bigint not null,
  partition text not null,
  state text default 'waiting'::text not null,
  finished_at timestamp with time zone,
  constraint backfill_window_pkey PRIMARY KEY (backfill_id, partition),
  constraint backfill_window_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'done'::text, 'failed'::text]))),
  constraint backfill_window_backfill_id_fkey FOREIGN KEY (backfill_id) REFERENCES backfill(backfill_id)
);

create table public.billing_customer (
  user_id text not null,
  customer_id text not null,
  created_at timestamp with time zone default clock_timestamp() not null,
  constraint billing_customer_pkey PRIMARY KEY (user_id),
  constraint billing_customer_customer_id_key UNIQUE (customer_id),
  constraint billing_customer_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
alter table public.billing_customer enable row level security;
create policy own_rows on billing_customer for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.billing_event (
  event_id text not null,
  user_id text,
  type text not null,
  object_id text,
  created_at timestamp with time zone not null,
  received_at timestamp with time zone not null,
  effect text not null,
  constraint billing_event_pkey PRIMARY KEY (event_id),
  constraint billing_event_type_check CHECK ((length(type) <= 100)),
  constraint billing_event_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
CREATE INDEX billing_event_user ON public.billing_event USING btree (user_id, event_id) WHERE (user_id IS NOT NULL);
alter table public.billing_event enable row level security;
create policy own_rows on billing_event for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.billing_subscription (
  subscription_id text not null,
  user_id text not null,
  tier text not null,
  billing_interval text not null,
  status text not null,
  period_end timestamp with time zone,
  cancel_at_period_end boolean not null,
  event_at timestamp with time zone not null,
  event_rank integer not null,
  constraint billing_subscription_pkey PRIMARY KEY (subscription_id),
  constraint billing_subscription_billing_interval_check CHECK ((billing_interval = ANY (ARRAY['monthly'::text, 'yearly'::text]))),
  constraint billing_subscription_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
CREATE INDEX billing_subscription_user ON public.billing_subscription USING btree (user_id, subscription_id);
alter table public.billing_subscription enable row level security;
create policy own_rows on billing_subscription for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create unlogged table public.chat_event (
  run_id text not null,
  n integer not null,
  user_id text not null,
  event text not null,
  data text not null,
  created_at timestamp with time zone not null,
  constraint chat_event_pkey PRIMARY KEY (run_id, n),
  constraint chat_event_n_check CHECK ((n >= 1)),
  constraint chat_event_run_id_fkey FOREIGN KEY (run_id) REFERENCES chat_run(run_id) ON DELETE CASCADE,
  constraint chat_event_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
CREATE INDEX chat_event_age ON public.chat_event USING btree (created_at);
CREATE INDEX chat_event_user ON public.chat_event USING btree (user_id);
alter table public.chat_event enable row level security;
create policy own_rows on chat_event for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.chat_message (
  message_id text not null,
  user_id text not null,
  session_id text not null,
  ordinal integer not null,
  role text not null,
  content text not null,
  envelope json,
  model text,
  created_at timestamp with time zone not null,
  constraint chat_message_pkey PRIMARY KEY (message_id),
  constraint chat_message_user_id_session_id_ordinal_key UNIQUE (user_id, session_id, ordinal),
  constraint chat_message_ordinal_check CHECK ((ordinal >= 1)),
  constraint chat_message_role_check CHECK ((role = ANY (ARRAY['user'::text, 'assistant'::text]))),
  constraint chat_message_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE,
  constraint chat_message_user_id_session_id_fkey FOREIGN KEY (user_id, session_id) REFERENCES chat_session(user_id, session_id) ON DELETE CASCADE
);
alter table public.chat_message enable row level security;
create policy own_rows on chat_message for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.chat_run (
  run_id text not null,
  user_id text not null,
  kind text not null,
  session_id text,
  state text not null,
  request jsonb,
  image bytea,
  answer json,
  counted_on date,
  created_at timestamp with time zone not null,
  alive_until timestamp with time zone not null,
  followed_until timestamp with time zone,
  ended_at timestamp with time zone,
  constraint chat_run_pkey PRIMARY KEY (run_id),
  constraint chat_run_kind_check CHECK ((kind = ANY (ARRAY['chat'::text, 'ask'::text, 'geochat'::text]))),
  constraint chat_run_state_check CHECK ((state = ANY (ARRAY['ticket'::text, 'running'::text, 'answered'::text, 'failed'::text, 'cancelled'::text]))),
  constraint chat_run_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
CREATE INDEX chat_run_age ON public.chat_run USING btree (created_at);
CREATE INDEX chat_run_user ON public.chat_run USING btree (user_id, state);
alter table public.chat_run enable row level security;
create policy own_rows on chat_run for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.chat_session (
  user_id text not null,
  session_id text not null,
  created_at timestamp with time zone not null,
  last_at timestamp with time zone not null,
  constraint chat_session_pkey PRIMARY KEY (user_id, session_id),
  constraint chat_session_session_id_check CHECK (((length(session_id) >= 1) AND (length(session_id) <= 64))),
  constraint chat_session_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
CREATE INDEX chat_session_age ON public.chat_session USING btree (last_at);
alter table public.chat_session enable row level security;
create policy own_rows on chat_session for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.chat_share (
  share_id text not null,
  user_id text not null,
  title text,
  messages json not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint chat_share_pkey PRIMARY KEY (share_id),
  constraint chat_share_share_id_check CHECK ((length(share_id) >= 20)),
  constraint chat_share_title_check CHECK ((length(title) <= 200)),
  constraint chat_share_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
CREATE INDEX chat_share_age ON public.chat_share USING btree (expires_at);
CREATE INDEX chat_share_user ON public.chat_share USING btree (user_id, created_at);
alter table public.chat_share enable row level security;
create policy own_rows on chat_share for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.check_round (
  one boolean default true not null,
  started_at timestamp with time zone not null,
  constraint check_round_pkey PRIMARY KEY (one),
  constraint check_round_one_check CHECK (one)
);

create table public.component_check (
  component text not null,
  status text not null,
  latency_ms integer,
  detail text,
  checked_at timestamp with time zone not null,
  since timestamp with time zone not null,
  failing integer not null,
  passing integer not null,
  constraint component_check_pkey PRIMARY KEY (component),
  constraint component_check_status_check CHECK ((status = ANY (ARRAY['operational'::text, 'degraded'::text, 'down'::text, 'unscheduled'::text, 'loading'::text])))
);

create table public.component_hour (
  component text not null,
  hour timestamp with time zone not null,
  checks integer not null,
  good integer not null,
  worst text not null,
  constraint component_hour_pkey PRIMARY KEY (component, hour)
);
CREATE INDEX component_hour_hour ON public.component_hour USING btree (hour DESC, component);

create table public.consent_entry (
  seq bigint not null,
  consent_id text not null,
  at timestamp with time zone not null,
  subject text not null,
  consent_type text not null,
  consent_action text not null,
  consent_version text not null,
  privacy_policy_version text not null,
  language text not null,
  address_prefix text not null,
  agent text not null,
  previous_id text,
  previous bytea not null,
  hash bytea not null,
  constraint consent_entry_pkey PRIMARY KEY (seq),
  constraint consent_entry_consent_id_key UNIQUE (consent_id),
  constraint consent_entry_hash_key UNIQUE (hash),
  constraint consent_entry_hash_check CHECK ((length(hash) = 32)),
  constraint consent_entry_previous_check CHECK ((length(previous) = 32))
);
CREATE INDEX consent_entry_subject ON public.consent_entry USING btree (subject, seq);
CREATE TRIGGER consent_entry_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.consent_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table public.csp_daily (
  day date not null,
  directive text not null,
  blocked text not null,
  reports bigint not null,
  constraint csp_daily_pkey PRIMARY KEY (day, directive, blocked)
);

create table public.daily_update (
  slug text not null,
  revision integer not null,
  release bigint not null,
  date date not null,
  ticker text,
  category text not null,
  title text not null,
  summary text not null,
  body text not null,
  llm_provider text,
  statements jsonb not null,
  sha256 bytea not null,
  rules text not null,
  constraint daily_update_pkey PRIMARY KEY (slug, revision),
  constraint daily_update_revision_check CHECK ((revision >= 1)),
  constraint daily_update_sha256_check CHECK ((length(sha256) = 32)),
  constraint daily_update_slug_check CHECK ((slug ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}(-[a-z0-9-]{1,40})?$'::text))
);
CREATE INDEX daily_update_date ON public.daily_update USING btree (date DESC, slug);

create table public.daily_update_view (
  slug text not null,
  views bigint not null,
  constraint daily_update_view_pkey PRIMARY KEY (slug),
  constraint daily_update_view_views_check CHECK ((views >= 0))
);

create table public.daily_use (
  user_id text not null,
  day date not null,
  class text not null,
  used integer not null,
  constraint daily_use_pkey PRIMARY KEY (user_id, day, class),
  constraint daily_use_class_check CHECK (((length(class) >= 1) AND (length(class) <= 40))),
  constraint daily_use_used_check CHECK ((used >= 0)),
  constraint daily_use_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
CREATE INDEX daily_use_day ON public.daily_use USING btree (day);
alter table public.daily_use enable row level security;
create policy own_rows on daily_use for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.damaged_file (
  dataset text not null,
  sha256 text not null,
  reason text not null,
  found_by text not null,
  found_at timestamp with time zone default clock_timestamp() not null,
  constraint damaged_file_pkey PRIMARY KEY (dataset, sha256)
);
CREATE TRIGGER damaged_file_changed AFTER INSERT OR DELETE OR UPDATE ON public.damaged_file FOR EACH ROW EXECUTE FUNCTION notify_release_state();

create table public.data_clock (
  one boolean default true not null,
  frozen_at timestamp with time zone not null,
  released_at timestamp with time zone,
  constraint data_clock_pkey PRIMARY KEY (one),
  constraint data_clock_one_check CHECK (one)
);
CREATE TRIGGER data_clock_changed AFTER INSERT OR DELETE OR UPDATE ON public.data_clock FOR EACH ROW EXECUTE FUNCTION notify_release_state();

create table public.dataset_release (
  dataset text not null,
  release bigint not null,
  rows bigint not null,
  constraint dataset_release_pkey PRIMARY KEY (dataset, release),
  constraint dataset_release_release_fkey FOREIGN KEY (release) REFERENCES release(release)
);

create table public.device (
  device_id text not null,
  user_id text not null,
  platform text not null,
  token text not null,
  token_sha256 bytea not null,
  created_at timestamp with time zone default clock_timestamp() not null,
  seen_at timestamp with time zone default clock_timestamp() not null,
  constraint device_pkey PRIMARY KEY (device_id),
  constraint device_token_sha256_key UNIQUE (token_sha256),
  constraint device_platform_check CHECK ((length(platform) <= 16)),
  constraint device_token_check CHECK (((length(token) >= 8) AND (length(token) <= 4096))),
  constraint device_token_sha256_check CHECK ((length(token_sha256) = 32)),
  constraint device_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
CREATE INDEX device_user ON public.device USING btree (user_id, created_at, device_id);
alter table public.device enable row level security;
create policy own_rows on device for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.email_capture (
  email_key text not null,
  email text not null,
  user_id text,
  source text not null,
  context text,
  token_sha256 bytea not null,
  asked_at timestamp with time zone default clock_timestamp() not null,
  confirmed_at timestamp with time zone,
  consent_text text,
  confirmed_from text,
  constraint email_capture_pkey PRIMARY KEY (email_key),
  constraint email_capture_token_sha256_key UNIQUE (token_sha256),
  constraint email_capture_context_check CHECK ((length(context) <= 500)),
  constraint email_capture_email_check CHECK (((length(email) >= 3) AND (length(email) <= 254))),
  constraint email_capture_email_key_check CHECK (((length(email_key) >= 3) AND (length(email_key) <= 254))),
  constraint email_capture_source_check CHECK ((length(source) <= 64)),
  constraint email_capture_token_sha256_check CHECK ((length(token_sha256) = 32)),
  constraint email_capture_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
CREATE INDEX email_capture_open ON public.email_capture USING btree (asked_at) WHERE (confirmed_at IS NULL);
CREATE INDEX email_capture_user ON public.email_capture USING btree (user_id);

create table public.erasure (
  subject_sha256 bytea not null,
  requested_at timestamp with time zone not null,
  erased_at timestamp with time zone not null,
  counts jsonb not null,
  constraint erasure_pkey PRIMARY KEY (subject_sha256),
  constraint erasure_subject_sha256_check CHECK ((length(subject_sha256) = 32))
);

create table public.expert_review (
  review_id text not null,
  user_id text not null,
  expert_id text not null,
  category text not null,
  verdict text not null,
  rating integer not null,
  ai_prompt text not null,
  ai_output text not null,
  corrected_output text not null,
  correction_notes text not null,
  severity text not null,
  could_cause_investment_loss boolean not null,
  incident_id text,
  created_at timestamp with time zone default clock_timestamp() not null,
  constraint expert_review_pkey PRIMARY KEY (review_id),
  constraint expert_review_ai_output_check CHECK ((length(ai_output) <= 32000)),
  constraint expert_review_ai_prompt_check CHECK ((length(ai_prompt) <= 32000)),
  constraint expert_review_category_check CHECK (((length(category) >= 1) AND (length(category) <= 64))),
  constraint expert_review_corrected_output_check CHECK ((length(corrected_output) <= 32000)),
  constraint expert_review_correction_notes_check CHECK ((length(correction_notes) <= 32000)),
  constraint expert_review_expert_id_check CHECK (((length(expert_id) >= 1) AND (length(expert_id) <= 64))),
  constraint expert_review_rating_check CHECK (((rating >= 0) AND (rating <= 10))),
  constraint expert_review_severity_check CHECK (((length(severity) >= 1) AND (length(severity) <= 32))),
  constraint expert_review_verdict_check CHECK (((length(verdict) >= 1) AND (length(verdict) <= 200))),
  constraint expert_review_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
CREATE INDEX expert_review_created ON public.expert_review USING btree (created_at DESC, review_id);
CREATE INDEX expert_review_user ON public.expert_review USING btree (user_id, created_at);
alter table public.expert_review enable row level security;
create policy own_rows on expert_review for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.filing_index (
  accession bigint not null,
  cik bigint not null,
  part text not null,
  release_from bigint not null,
  known_from timestamp with time zone not null,
  filed_date date not null,
  form text collate "C" not null,
  words tsvector not null,
  withdrawn boolean not null,
  constraint filing_index_pkey PRIMARY KEY (accession, cik, part, release_from)
);
CREATE INDEX filing_index_day ON public.filing_index USING btree (filed_date DESC, accession DESC, cik DESC);
CREATE INDEX filing_index_form ON public.filing_index USING btree (form, filed_date DESC, accession DESC, cik DESC);
CREATE INDEX filing_index_words ON public.filing_index USING gin (words);

create table public.filing_index_state (
  one boolean default true not null,
  complete boolean not null,
  words_version integer not null,
  constraint filing_index_state_pkey PRIMARY KEY (one),
  constraint filing_index_state_one_check CHECK (one)
);

create table public.head (
  one boolean default true not null,
  release bigint not null,
  catalogue_version bigint not null,
  constraint head_pkey PRIMARY KEY (one),
  constraint head_one_check CHECK (one)
);

create table public.idempotency_key (
  user_id text not null,
  key text not null,
  operation text not null,
  body_sha256 bytea not null,
  status integer not null,
  answer text not null,
  created_at timestamp with time zone default clock_timestamp() not null,
  constraint idempotency_key_pkey PRIMARY KEY (user_id, key),
  constraint idempotency_key_key_check CHECK (((length(key) >= 1) AND (length(key) <= 255))),
  constraint idempotency_key_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
CREATE INDEX idempotency_key_age ON public.idempotency_key USING btree (created_at);
alter table public.idempotency_key enable row level security;
create policy own_rows on idempotency_key for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.incident (
  incident_id text not null,
  component text,
  title text not null,
  impact text not null,
  body text,
  opened_by text not null,
  started_at timestamp with time zone not null,
  resolved_at timestamp with time zone,
  draft boolean default false not null,
  constraint incident_pkey PRIMARY KEY (incident_id),
  constraint incident_check CHECK (((resolved_at IS NULL) OR (resolved_at >= started_at))),
  constraint incident_impact_check CHECK ((impact = ANY (ARRAY['minor'::text, 'major'::text, 'critical'::text, 'maintenance'::text]))),
  constraint incident_opened_by_check CHECK ((opened_by = ANY (ARRAY['rule'::text, 'operator'::text]))),
  constraint incident_title_check CHECK (((length(title) >= 1) AND (length(title) <= 200)))
);
CREATE UNIQUE INDEX incident_open ON public.incident USING btree (component) WHERE ((resolved_at IS NULL) AND (opened_by = 'rule'::text));
CREATE INDEX incident_started ON public.incident USING btree (started_at DESC, incident_id);

create table public.ipo_alert (
  ipo_alert_id text not null,
  user_id text not null,
  ticker text not null,
  event text not null,
  lead_days integer not null,
  note text,
  status text not null,
  armed integer default 1 not null,
  armed_at timestamp with time zone not null,
  seen jsonb default '[]'::jsonb not null,
  triggered_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint ipo_alert_pkey PRIMARY KEY (ipo_alert_id),
  constraint ipo_alert_event_check CHECK ((event = ANY (ARRAY['priced'::text, 'listed'::text, 'lockup_soon'::text, 'range_amended'::text]))),
  constraint ipo_alert_lead_days_check CHECK (((lead_days >= 1) AND (lead_days <= 90))),
  constraint ipo_alert_note_check CHECK ((length(note) <= 200)),
  constraint ipo_alert_status_check CHECK ((status = ANY (ARRAY['active'::text, 'triggered'::text, 'dismissed'::text]))),
  constraint ipo_alert_ticker_check CHECK (((length(ticker) >= 1) AND (length(ticker) <= 16))),
  constraint ipo_alert_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
CREATE INDEX ipo_alert_active ON public.ipo_alert USING btree (armed_at) WHERE (status = 'active'::text);
CREATE INDEX ipo_alert_user ON public.ipo_alert USING btree (user_id, created_at DESC, ipo_alert_id DESC);
alter table public.ipo_alert enable row level security;
create policy own_rows on ipo_alert for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.job_run (
  run_id bigint generated always as identity not null,
  job text not null,
  queue_job uuid,
  attempt integer not null,
  partition text not null,
  backfill_id bigint,
  worker text not null,
  state text not null,
  started_at timestamp with time zone default clock_timestamp() not null,
  finished_at timestamp with time zone,
  release bigint,
  documents bigint default 0 not null,
  fetched bigint default 0 not null,
  rows bigint default 0 not null,
  refused bigint default 0 not null,
  error text,
  constraint job_run_pkey PRIMARY KEY (run_id),
  constraint job_run_state_check CHECK ((state = ANY (ARRAY['running'::text, 'done'::text, 'failed'::text, 'lost'::text])))
);
CREATE INDEX job_run_job ON public.job_run USING btree (job, run_id DESC);

create table public.job_run_line (
  run_id bigint not null,
  line integer not null,
  at timestamp with time zone not null,
  level text not null,
  message text not null,
  constraint job_run_line_pkey PRIMARY KEY (run_id, line),
  constraint job_run_line_level_check CHECK ((level = ANY (ARRAY['debug'::text, 'info'::text, 'warn'::text, 'error'::text]))),
  constraint job_run_line_run_id_fkey FOREIGN KEY (run_id) REFERENCES job_run(run_id) ON DELETE CASCADE
);
CREATE INDEX job_run_line_at ON public.job_run_line USING btree (at);

create table public.job_tick (
  job text not null,
  tick_at timestamp with time zone not null,
  constraint job_tick_pkey PRIMARY KEY (job, tick_at)
);

create table public.key_fingerprint (
  name text not null,
  number integer not null,
  fingerprint bytea not null,
  recorded_at timestamp with time zone default clock_timestamp() not null,
  constraint key_fingerprint_pkey PRIMARY KEY (name, number),
  constraint key_fingerprint_fingerprint_check CHECK ((octet_length(fingerprint) = 32)),
  constraint key_fingerprint_number_check CHECK ((number > 0))
);

create table public.key_usage (
  key_id text not null,
  owner text,
  day date not null,
  class text not null,
  requests bigint not null,
  units bigint not null,
  limited bigint not null,
  refused bigint not null,
  failed bigint not null,
  constraint key_usage_pkey PRIMARY KEY (key_id, day, class),
  constraint key_usage_class_check CHECK ((class = ANY (ARRAY['reads'::text, 'queries'::text, 'files'::text, 'agents'::text]))),
  constraint key_usage_key_id_fkey FOREIGN KEY (key_id) REFERENCES api_key(key_id) ON DELETE CASCADE,
  constraint key_usage_owner_fkey FOREIGN KEY (owner) REFERENCES app_user(user_id) ON DELETE CASCADE
);
CREATE INDEX key_usage_day ON public.key_usage USING btree (day);
CREATE INDEX key_usage_owner ON public.key_usage USING btree (owner, day) WHERE (owner IS NOT NULL);
alter table public.key_usage enable row level security;
create policy own_rows on key_usage for all using ((owner = current_setting('app.uid'::text, true))) with check ((owner = current_setting('app.uid'::text, true)));

create table public.lake_file (
  file_id bigint generated always as identity not null,
  dataset text not null,
  bucket text not null,
  sha256 text not null,
  bytes bigint not null,
  rows bigint not null,
  tier integer not null,
  key_min text not null,
  key_max text not null,
  time_min text,
  time_max text,
  fresh_release bigint,
  release_max bigint not null,
  added_version bigint not null,
  removed_version bigint,
  removed_at timestamp with time zone,
  lacks text[] default '{}'::text[] not null,
  release_in_rows boolean default false not null,
  release_min bigint,
  constraint lake_file_pkey PRIMARY KEY (file_id),
  constraint lake_file_dataset_sha256_key UNIQUE (dataset, sha256),
  constraint lake_file_fresh_release_fkey FOREIGN KEY (fresh_release) REFERENCES release(release)
);
CREATE INDEX lake_file_live ON public.lake_file USING btree (dataset) WHERE (removed_version IS NULL);

create table public.lake_place (
  only_one boolean default true not null,
  address text not null,
  since timestamp with time zone default clock_timestamp() not null,
  shared boolean default false not null,
  constraint lake_place_pkey PRIMARY KEY (only_one),
  constraint lake_place_only_one_check CHECK (only_one)
);

create table public.log_checkpoint (
  size bigint not null,
  root bytea not null,
  note text not null,
  kid text not null,
  signed_at timestamp with time zone default clock_timestamp() not null,
  constraint log_checkpoint_pkey PRIMARY KEY (size),
  constraint log_checkpoint_root_check CHECK ((octet_length(root) = 32)),
  constraint log_checkpoint_size_check CHECK ((size > 0)),
  constraint log_checkpoint_kid_fkey FOREIGN KEY (kid) REFERENCES signing_key(kid)
);
CREATE TRIGGER log_checkpoint_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.log_checkpoint FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table public.log_cosignature (
  size bigint not null,
  vkey text not null,
  line text not null,
  cosigned_at timestamp with time zone not null,
  received_at timestamp with time zone default clock_timestamp() not null,
  constraint log_cosignature_pkey PRIMARY KEY (size, vkey),
  constraint log_cosignature_size_fkey FOREIGN KEY (size) REFERENCES log_checkpoint(size)
);
CREATE TRIGGER log_cosignature_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.log_cosignature FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table public.log_entry (
  index bigint not null,
  kind text not null,
  name text not null,
  leaf bytea not null,
  entry bytea,
  constraint log_entry_pkey PRIMARY KEY (index),
  constraint log_entry_index_check CHECK ((index >= 0)),
  constraint log_entry_kind_check CHECK ((kind = ANY (ARRAY['receipt'::text, 'release'::text, 'chain'::text, 'keys'::text, 'recovered'::text]))),
  constraint log_entry_leaf_check CHECK ((octet_length(leaf) = 32))
);
CREATE INDEX log_entry_kind ON public.log_entry USING btree (kind, index DESC) WHERE (kind <> 'receipt'::text);
CREATE TRIGGER log_entry_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.log_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();

create table public.log_head (
  one boolean default true not null,
  origin text not null,
  size bigint not null,
  frontier bytea not null,
  releases_to bigint not null,
  constraint log_head_pkey PRIMARY KEY (one),
  constraint log_head_frontier_check CHECK (((octet_length(frontier) % 32) = 0)),
  constraint log_head_one_check CHECK (one)
);

create table public.log_witness (
  vkey text not null,
  name text not null,
  url text not null,
  state text default 'waiting'::text not null,
  detail text,
  state_since timestamp with time zone default clock_timestamp() not null,
  size bigint default 0 not null,
  failures integer default 0 not null,
  succeeded_at timestamp with time zone,
  next_at timestamp with time zone default clock_timestamp() not null,
  leased_until timestamp with time zone default '-infinity'::timestamp with time zone not null,
  constraint log_witness_pkey PRIMARY KEY (vkey),
  constraint log_witness_state_check CHECK ((state = ANY (ARRAY['waiting'::text, 'ok'::text, 'unreachable'::text, 'refused'::text, 'wrong'::text])))
);

create table public.mail_outbox (
  mail_id bigint generated always as identity not null,
  dedupe_key text not null,
  user_id text,
  to_address text not null,
  kind text not null,
  subject text not null,
  body text not null,
  created_at timestamp with time zone default clock_timestamp() not null,
  next_try_at timestamp with time zone default clock_timestamp() not null,
  attempts integer default 0 not null,
  sent_at timestamp with time zone,
  given_up_at timestamp with time zone,
  error text,
  constraint mail_outbox_pkey PRIMARY KEY (mail_id),
  constraint mail_outbox_dedupe_key_key UNIQUE (dedupe_key),
  constraint mail_outbox_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
CREATE INDEX mail_outbox_due ON public.mail_outbox USING btree (next_try_at) WHERE ((sent_at IS NULL) AND (given_up_at IS NULL));

create table public.model_build (
  model text not null,
  definition text not null,
  release bigint not null,
  as_of text not null,
  sha256 text not null,
  bytes bigint not null,
  rows bigint not null,
  origins_sha256 text not null,
  origins_bytes bigint not null,
  sources jsonb not null,
  built_at timestamp with time zone default clock_timestamp() not null,
  build_ms bigint not null,
  constraint model_build_pkey PRIMARY KEY (model, definition, release, as_of),
  constraint model_build_release_fkey FOREIGN KEY (release) REFERENCES release(release)
);
CREATE INDEX model_build_file ON public.model_build USING btree (sha256);
CREATE TRIGGER model_build_changed AFTER INSERT OR DELETE OR UPDATE ON public.model_build FOR EACH ROW EXECUTE FUNCTION notify_release_state();

create table public.model_use (
  day date not null,
  model text not null,
  answers integer not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  constraint model_use_pkey PRIMARY KEY (day, model)
);

create table public.one_time_token (
  sha256 bytea not null,
  user_id text not null,
  purpose text not null,
  created_at timestamp with time zone default clock_timestamp() not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint one_time_token_pkey PRIMARY KEY (sha256),
  constraint one_time_token_purpose_check CHECK ((purpose = ANY (ARRAY['verify_email'::text, 'reset_password'::text]))),
  constraint one_time_token_sha256_check CHECK ((length(sha256) = 32)),
  constraint one_time_token_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
CREATE INDEX one_time_token_user ON public.one_time_token USING btree (user_id, purpose);

create table public.page (
  operation text not null,
  question text not null,
  release_from bigint not null,
  payload bytea,
  receipt_id text,
  as_of timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint page_pkey PRIMARY KEY (operation, question, release_from),
  constraint page_check CHECK (((payload IS NULL) = (receipt_id IS NULL))),
  constraint page_release_from_fkey FOREIGN KEY (release_from) REFERENCES release(release)
);
CREATE INDEX page_receipt ON public.page USING btree (receipt_id) WHERE (receipt_id IS NOT NULL);
CREATE INDEX page_used ON public.page USING btree (used_at) INCLUDE (operation) WHERE (used_at IS NOT NULL);

create table public.portfolio_position (
  position_id text not null,
  user_id text not null,
  ordinal integer not null,
  instrument_id text,
  symbol text not null,
  quantity numeric not null,
  acb_per_share numeric,
  currency text not null,
  account_type text not null,
  note text,
  created_at timestamp with time zone not null,
  stated_at timestamp with time zone not null,
  constraint portfolio_position_pkey PRIMARY KEY (position_id),
  constraint portfolio_position_user_id_ordinal_key UNIQUE (user_id, ordinal),
  constraint portfolio_position_acb_per_share_check CHECK (((acb_per_share >= (0)::numeric) AND (acb_per_share < '100000000000000000000000000'::numeric) AND (scale(acb_per_share) <= 12))),
  constraint portfolio_position_account_type_check CHECK (((length(account_type) >= 1) AND (length(account_type) <= 32))),
  constraint portfolio_position_currency_check CHECK ((currency ~ '^[A-Z]{3}$'::text)),
  constraint portfolio_position_note_check CHECK ((length(note) <= 500)),
  constraint portfolio_position_quantity_check CHECK (((abs(quantity) < '100000000000000000000000000'::numeric) AND (scale(quantity) <= 12))),
  constraint portfolio_position_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX portfolio_position_once ON public.portfolio_position USING btree (user_id, COALESCE(instrument_id, symbol), account_type, currency);
alter table public.portfolio_position enable row level security;
create policy own_rows on portfolio_position for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.push_key (
  sole boolean default true not null,
  public_key text not null,
  created_at timestamp with time zone default clock_timestamp() not null,
  constraint push_key_pkey PRIMARY KEY (sole),
  constraint push_key_public_key_check CHECK ((length(public_key) = 87)),
  constraint push_key_sole_check CHECK (sole)
);

create table public.push_outbox (
  push_id bigint generated always as identity not null,
  subscription_id text not null,
  user_id text not null,
  dedupe_key text not null,
  title text not null,
  body text not null,
  url text,
  topic text not null,
  created_at timestamp with time zone default clock_timestamp() not null,
  next_try_at timestamp with time zone default clock_timestamp() not null,
  claimed_until timestamp with time zone,
  attempts integer default 0 not null,
  sent_at timestamp with time zone,
  given_up_at timestamp with time zone,
  error text,
  constraint push_outbox_pkey PRIMARY KEY (push_id),
  constraint push_outbox_dedupe_key_subscription_id_key UNIQUE (dedupe_key, subscription_id),
  constraint push_outbox_dedupe_key_check CHECK (((length(dedupe_key) >= 1) AND (length(dedupe_key) <= 200))),
  constraint push_outbox_topic_check CHECK ((topic ~ '^[A-Za-z0-9_-]{1,32}$'::text)),
  constraint push_outbox_subscription_id_fkey FOREIGN KEY (subscription_id) REFERENCES push_subscription(subscription_id) ON DELETE CASCADE,
  constraint push_outbox_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
CREATE INDEX push_outbox_due ON public.push_outbox USING btree (next_try_at) WHERE ((sent_at IS NULL) AND (given_up_at IS NULL));
CREATE INDEX push_outbox_subscription ON public.push_outbox USING btree (subscription_id);
CREATE INDEX push_outbox_user ON public.push_outbox USING btree (user_id, created_at);
alter table public.push_outbox enable row level security;
create policy own_rows on push_outbox for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.push_subscription (
  subscription_id text not null,
  user_id text not null,
  endpoint text not null,
  endpoint_sha256 bytea not null,
  p256dh text not null,
  auth text not null,
  tickers text[],
  created_at timestamp with time zone default clock_timestamp() not null,
  seen_at timestamp with time zone default clock_timestamp() not null,
  constraint push_subscription_pkey PRIMARY KEY (subscription_id),
  constraint push_subscription_user_id_endpoint_sha256_key UNIQUE (user_id, endpoint_sha256),
  constraint push_subscription_endpoint_check CHECK (((length(endpoint) >= 20) AND (length(endpoint) <= 2000))),
  constraint push_subscription_endpoint_sha256_check CHECK ((length(endpoint_sha256) = 32)),
  constraint push_subscription_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
CREATE INDEX push_subscription_endpoint ON public.push_subscription USING btree (endpoint_sha256);
CREATE INDEX push_subscription_user ON public.push_subscription USING btree (user_id, created_at, subscription_id);
alter table public.push_subscription enable row level security;
create policy own_rows on push_subscription for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.quarantine (
  quarantine_id bigint generated always as identity not null,
  dataset text not null,
  reason text not null,
  subject text not null,
  detail text not null,
  record jsonb,
  source text not null,
  raw_sha256 text not null,
  url text not null,
  held_at timestamp with time zone default clock_timestamp() not null,
  state text default 'held'::text not null,
  decided_at timestamp with time zone,
  note text,
  fingerprint text not null,
  constraint quarantine_pkey PRIMARY KEY (quarantine_id),
  constraint quarantine_fingerprint_key UNIQUE (fingerprint),
  constraint quarantine_state_check CHECK ((state = ANY (ARRAY['held'::text, 'released'::text, 'rejected'::text])))
);
CREATE INDEX quarantine_held ON public.quarantine USING btree (dataset, reason) WHERE (state = 'held'::text);

create unlogged table public.rate_budget (
  partition text not null,
  arrival_us bigint not null,
  day date not null,
  used bigint not null,
  granted bigint not null,
  constraint rate_budget_pkey PRIMARY KEY (partition)
);
CREATE INDEX rate_budget_day ON public.rate_budget USING btree (day);

create table public.raw_document (
  raw_id bigint generated always as identity not null,
  sha256 text not null,
  source text not null,
  url text not null,
  retrieved_at timestamp with time zone not null,
  status integer not null,
  headers jsonb not null,
  bytes bigint not null,
  pack text not null,
  pack_offset bigint not null,
  holds_body boolean not null,
  constraint raw_document_pkey PRIMARY KEY (raw_id),
  constraint raw_document_pack_pack_offset_key UNIQUE (pack, pack_offset)
);
CREATE INDEX raw_document_sha256 ON public.raw_document USING btree (sha256) WHERE holds_body;
CREATE INDEX raw_document_url ON public.raw_document USING btree (url, raw_id DESC);

create table public.reader_lease (
  process text not null,
  catalogue_version bigint not null,
  expires_at timestamp with time zone not null,
  address text,
  constraint reader_lease_pkey PRIMARY KEY (process)
);

create table public.reading (
  raw_id bigint not null,
  reader text,
  state text not null,
  release bigint,
  rows bigint not null,
  refused bigint not null,
  skipped jsonb not null,
  detail text,
  first_release bigint,
  constraint reading_pkey PRIMARY KEY (raw_id),
  constraint reading_state_check CHECK ((state = ANY (ARRAY['read'::text, 'unread'::text, 'unreadable'::text]))),
  constraint reading_first_release_fkey FOREIGN KEY (first_release) REFERENCES release(release),
  constraint reading_raw_id_fkey FOREIGN KEY (raw_id) REFERENCES raw_document(raw_id),
  constraint reading_release_fkey FOREIGN KEY (release) REFERENCES release(release)
);
CREATE INDEX reading_release ON public.reading USING btree (release);

create table public.receipt (
  receipt_id text not null,
  statement bytea not null,
  signature bytea not null,
  kid text not null,
  operation text not null,
  parameters text not null,
  release bigint not null,
  payload_sha256 text not null,
  created_at timestamp with time zone default clock_timestamp() not null,
  log_index bigint,
  constraint receipt_pkey PRIMARY KEY (receipt_id),
  constraint receipt_log_index_key UNIQUE (log_index),
  constraint receipt_receipt_id_check CHECK ((receipt_id ~ '^r1_[a-z2-7]{51}[aq]$'::text)),
  constraint receipt_signature_check CHECK ((octet_length(signature) = 64)),
  constraint receipt_kid_fkey FOREIGN KEY (kid) REFERENCES signing_key(kid),
  constraint receipt_log_index_fkey FOREIGN KEY (log_index) REFERENCES log_entry(index)
);
CREATE INDEX receipt_kid ON public.receipt USING btree (kid, created_at);
CREATE INDEX receipt_question ON public.receipt USING btree (operation, parameters, release DESC);
CREATE INDEX receipt_unlogged ON public.receipt USING btree (created_at, receipt_id) WHERE (log_index IS NULL);

create table public.receipt_change (
  change_id text not null,
  "position" bigint generated always as identity not null,
  watch_id text not null,
  user_id text not null,
  before_receipt_id text not null,
  before_release bigint not null,
  before_as_of timestamp with time zone not null,
  after_receipt_id text not null,
  after_release bigint not null,
  after_as_of timestamp with time zone not null,
  found_at timestamp with time zone not null,
  count integer not null,
  reason text,
  differences jsonb not null,
  causes jsonb not null,
  mail_skipped text,
  push_skipped text,
  constraint receipt_change_pkey PRIMARY KEY (change_id),
  constraint receipt_change_position_key UNIQUE ("position"),
  constraint receipt_change_watch_id_after_receipt_id_key UNIQUE (watch_id, after_receipt_id),
  constraint receipt_change_count_check CHECK ((count >= 0)),
  constraint receipt_change_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE,
  constraint receipt_change_watch_id_fkey FOREIGN KEY (watch_id) REFERENCES receipt_watch(watch_id) ON DELETE CASCADE
);
CREATE INDEX receipt_change_after ON public.receipt_change USING btree (after_receipt_id);
CREATE INDEX receipt_change_before ON public.receipt_change USING btree (before_receipt_id);
CREATE INDEX receipt_change_user ON public.receipt_change USING btree (user_id, "position");
CREATE INDEX receipt_change_watch ON public.receipt_change USING btree (watch_id, "position" DESC);
alter table public.receipt_change enable row level security;
create policy own_rows on receipt_change for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.receipt_change_turn (
  one boolean default true not null,
  constraint receipt_change_turn_pkey PRIMARY KEY (one),
  constraint receipt_change_turn_one_check CHECK (one)
);

create table public.receipt_countersignature (
  receipt_id text not null,
  kid text not null,
  signature bytea not null,
  signed_at timestamp with time zone default clock_timestamp() not null,
  constraint receipt_countersignature_pkey PRIMARY KEY (receipt_id),
  constraint receipt_countersignature_signature_check CHECK ((octet_length(signature) = 64)),
  constraint receipt_countersignature_kid_fkey FOREIGN KEY (kid) REFERENCES signing_key(kid),
  constraint receipt_countersignature_receipt_id_fkey FOREIGN KEY (receipt_id) REFERENCES receipt(receipt_id) ON DELETE CASCADE
);
CREATE INDEX receipt_countersignature_kid ON public.receipt_countersignature USING btree (kid);

create table public.receipt_watch (
  watch_id text not null,
  user_id text not null,
  question text not null,
  first_receipt_id text not null,
  receipt_id text not null,
  push boolean not null,
  mail boolean not null,
  checked_release bigint not null,
  checked_at timestamp with time zone not null,
  datasets text[],
  problem text,
  changes integer default 0 not null,
  changed_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint receipt_watch_pkey PRIMARY KEY (watch_id),
  constraint receipt_watch_user_id_question_key UNIQUE (user_id, question),
  constraint receipt_watch_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
CREATE INDEX receipt_watch_due ON public.receipt_watch USING btree (checked_release, checked_at);
CREATE INDEX receipt_watch_first ON public.receipt_watch USING btree (first_receipt_id);
CREATE INDEX receipt_watch_receipt ON public.receipt_watch USING btree (receipt_id);
alter table public.receipt_watch enable row level security;
create policy own_rows on receipt_watch for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.referral (
  user_id text not null,
  referrer_id text,
  code text not null,
  attributed_at timestamp with time zone default clock_timestamp() not null,
  converted_at timestamp with time zone,
  converted_tier text,
  constraint referral_pkey PRIMARY KEY (user_id),
  constraint referral_check CHECK (((converted_at IS NULL) = (converted_tier IS NULL))),
  constraint referral_referrer_id_fkey FOREIGN KEY (referrer_id) REFERENCES app_user(user_id) ON DELETE SET NULL,
  constraint referral_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
CREATE INDEX referral_referrer ON public.referral USING btree (referrer_id);
alter table public.referral enable row level security;
create policy own_rows on referral for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.referral_code (
  user_id text not null,
  code text not null,
  created_at timestamp with time zone default clock_timestamp() not null,
  constraint referral_code_pkey PRIMARY KEY (user_id),
  constraint referral_code_code_key UNIQUE (code),
  constraint referral_code_code_check CHECK ((code ~ '^[A-Z2-9]{10}$'::text)),
  constraint referral_code_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
alter table public.referral_code enable row level security;
create policy own_rows on referral_code for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.release (
  release bigint not null,
  parent bigint not null,
  committed_at timestamp with time zone not null,
  job text not null,
  partition text not null,
  batch_key text not null,
  constraint release_pkey PRIMARY KEY (release),
  constraint release_batch_key_key UNIQUE (batch_key)
);

create table public.release_manifest (
  release bigint not null,
  sha256 text not null,
  bytes bigint not null,
  constraint release_manifest_pkey PRIMARY KEY (release),
  constraint release_manifest_release_fkey FOREIGN KEY (release) REFERENCES release(release)
);

create table public.report_task (
  task_id text not null,
  user_id text not null,
  job_id uuid,
  pdf_path text not null,
  company_ticker text,
  status text not null,
  pages_read integer default 0 not null,
  page_count integer,
  error_code text,
  error_detail text,
  error_hint text,
  issuer_symbol text,
  issuer_name text,
  issuer_cik text,
  issuer_basis text,
  result text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint report_task_pkey PRIMARY KEY (task_id),
  constraint report_task_issuer_basis_check CHECK ((issuer_basis = ANY (ARRAY['request'::text, 'document'::text]))),
  constraint report_task_page_count_check CHECK ((page_count >= 0)),
  constraint report_task_pages_read_check CHECK ((pages_read >= 0)),
  constraint report_task_pdf_path_check CHECK ((length(pdf_path) <= 512)),
  constraint report_task_status_check CHECK ((status = ANY (ARRAY['queued'::text, 'running'::text, 'succeeded'::text, 'failed'::text]))),
  constraint report_task_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
CREATE INDEX report_task_user ON public.report_task USING btree (user_id, created_at);
alter table public.report_task enable row level security;
create policy own_rows on report_task for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.reproduction_result (
  seed text not null,
  receipt_id text not null,
  result text not null,
  method text,
  reason text,
  difference jsonb,
  milliseconds integer not null,
  constraint reproduction_result_pkey PRIMARY KEY (seed, receipt_id),
  constraint reproduction_result_method_check CHECK ((method = ANY (ARRAY['documents'::text, 'release'::text, 'stored_model'::text]))),
  constraint reproduction_result_result_check CHECK ((result = ANY (ARRAY['equal'::text, 'different'::text, 'not_possible'::text]))),
  constraint reproduction_result_receipt_id_fkey FOREIGN KEY (receipt_id) REFERENCES receipt(receipt_id),
  constraint reproduction_result_seed_fkey FOREIGN KEY (seed) REFERENCES reproduction_round(seed) ON DELETE CASCADE
);
CREATE INDEX reproduction_result_receipt ON public.reproduction_result USING btree (receipt_id);

create table public.reproduction_round (
  seed text not null,
  population bigint not null,
  size integer not null,
  started_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint reproduction_round_pkey PRIMARY KEY (seed)
);

create table public.running_worker (
  worker text not null,
  host text not null,
  process integer not null,
  version text not null,
  started_at timestamp with time zone default clock_timestamp() not null,
  seen_at timestamp with time zone default clock_timestamp() not null,
  jobs jsonb not null,
  constraint running_worker_pkey PRIMARY KEY (worker)
);

create table public.schema_migrations (
  name text not null,
  sha256 text not null,
  applied_at timestamp with time zone default now() not null,
  constraint schema_migrations_pkey PRIMARY KEY (name)
);

create table public.shared_key (
  name text not null,
  sealed bytea not null,
  stored_at timestamp with time zone default clock_timestamp() not null,
  constraint shared_key_pkey PRIMARY KEY (name)
);

create unlogged table public.sign_in_failure (
  bucket text not null,
  failures integer not null,
  since timestamp with time zone not null,
  blocked_until timestamp with time zone,
  constraint sign_in_failure_pkey PRIMARY KEY (bucket)
);

create table public.sign_in_origin (
  user_id text not null,
  kind text not null,
  sha256 bytea not null,
  created_at timestamp with time zone default clock_timestamp() not null,
  seen_at timestamp with time zone default clock_timestamp() not null,
  constraint sign_in_origin_pkey PRIMARY KEY (user_id, kind, sha256),
  constraint sign_in_origin_kind_check CHECK ((kind = ANY (ARRAY['device'::text, 'address'::text]))),
  constraint sign_in_origin_sha256_check CHECK ((length(sha256) = 32)),
  constraint sign_in_origin_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
CREATE INDEX sign_in_origin_age ON public.sign_in_origin USING btree (seen_at);
alter table public.sign_in_origin enable row level security;
create policy own_rows on sign_in_origin for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.signing_key (
  kid text not null,
  x text not null,
  status text not null,
  valid_from bigint,
  valid_to bigint,
  from_index bigint,
  to_index bigint,
  created_at timestamp with time zone default clock_timestamp() not null,
  compromised_from timestamp with time zone,
  retired_at timestamp with time zone,
  constraint signing_key_pkey PRIMARY KEY (kid),
  constraint signing_key_x_key UNIQUE (x),
  constraint signing_key_check CHECK (((status = 'pending'::text) OR (valid_from IS NOT NULL))),
  constraint signing_key_check1 CHECK ((valid_to >= valid_from)),
  constraint signing_key_check2 CHECK (((status = 'compromised'::text) = (compromised_from IS NOT NULL))),
  constraint signing_key_status_check CHECK ((status = ANY (ARRAY['pending'::text, 'active'::text, 'retired'::text, 'compromised'::text])))
);
CREATE UNIQUE INDEX signing_key_one_active ON public.signing_key USING btree (status) WHERE (status = 'active'::text);
CREATE TRIGGER signing_key_changed AFTER INSERT OR DELETE OR UPDATE ON public.signing_key FOR EACH ROW EXECUTE FUNCTION notify_release_state();

create table public.sorted_copy (
  source_sha256 text not null,
  copy text not null,
  definition text not null,
  sha256 text not null,
  bytes bigint not null,
  rows bigint not null,
  made_at timestamp with time zone default clock_timestamp() not null,
  make_ms bigint not null,
  constraint sorted_copy_pkey PRIMARY KEY (source_sha256, copy, definition)
);
CREATE INDEX sorted_copy_file ON public.sorted_copy USING btree (sha256);
CREATE TRIGGER sorted_copy_changed AFTER INSERT OR DELETE OR UPDATE ON public.sorted_copy FOR EACH ROW EXECUTE FUNCTION notify_release_state();

create table public.table_version (
  dataset text not null,
  version bigint not null,
  release bigint not null,
  catalogue_version bigint not null,
  kind text not null,
  schema_sha256 text not null,
  log_sha256 text not null,
  constraint table_version_pkey PRIMARY KEY (dataset, version),
  constraint table_version_kind_check CHECK ((kind = ANY (ARRAY['commit'::text, 'compaction'::text, 'schema'::text, 'remade'::text])))
);

create table public.transcript_index (
  subject text collate "C" not null,
  video_id text collate "C" not null,
  chunk_idx integer not null,
  release_from bigint not null,
  known_from timestamp with time zone not null,
  upload_date date not null,
  language text not null,
  words tsvector not null,
  stems text not null,
  length integer not null,
  withdrawn boolean not null,
  release_to bigint,
  constraint transcript_index_pkey PRIMARY KEY (subject, video_id, chunk_idx, release_from),
  constraint transcript_index_language_check CHECK ((language = ANY (ARRAY['en'::text, 'fr'::text, ''::text])))
);
CREATE INDEX transcript_index_words ON public.transcript_index USING gin (words);

create table public.transcript_index_state (
  one boolean default true not null,
  complete boolean not null,
  words_version integer not null,
  constraint transcript_index_state_pkey PRIMARY KEY (one),
  constraint transcript_index_state_one_check CHECK (one)
);

create table public.upstream_limit (
  name text not null,
  tat timestamp with time zone default '1970-01-01 00:00:00+00'::timestamp with time zone not null,
  stopped_until timestamp with time zone default '1970-01-01 00:00:00+00'::timestamp with time zone not null,
  stop_reason text,
  failures integer default 0 not null,
  opened_at timestamp with time zone,
  probe_at timestamp with time zone,
  quota_hour timestamp with time zone default '1970-01-01 00:00:00+00'::timestamp with time zone not null,
  hour_used integer default 0 not null,
  quota_day timestamp with time zone default '1970-01-01 00:00:00+00'::timestamp with time zone not null,
  day_used integer default 0 not null,
  verdict text default 'granted'::text not null,
  wait_ms double precision default 0 not null,
  constraint upstream_limit_pkey PRIMARY KEY (name),
  constraint upstream_limit_failures_check CHECK ((failures >= 0))
);
comment on table public.upstream_limit is 'Politeness towards upstreams: pace (GCRA), stops, breaker and quotas, one row per host group';
comment on column public.upstream_limit.tat is 'GCRA: theoretical arrival time of the next request';
comment on column public.upstream_limit.stopped_until is 'No process asks this upstream before this instant';
comment on column public.upstream_limit.failures is 'Failures in a row; at 5 the breaker opens';
comment on column public.upstream_limit.opened_at is 'Since when the breaker is open; null while it is closed';
comment on column public.upstream_limit.probe_at is 'When the open breaker last let one request through';
comment on column public.upstream_limit.quota_hour is 'UTC hour that hour_used counts';
comment on column public.upstream_limit.quota_day is 'UTC day that day_used counts';
comment on column public.upstream_limit.verdict is 'What the last taker was told: granted, stopped, open, quota_hour, quota_day or busy';
comment on column public.upstream_limit.wait_ms is 'How long the last taker was told to wait';

create table public.user_session (
  session_id text not null,
  user_id text not null,
  sha256 bytea not null,
  kind text not null,
  created_at timestamp with time zone default clock_timestamp() not null,
  seen_at timestamp with time zone default clock_timestamp() not null,
  idle_until timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  proved_at timestamp with time zone not null,
  address_prefix text not null,
  agent text not null,
  constraint user_session_pkey PRIMARY KEY (session_id),
  constraint user_session_sha256_key UNIQUE (sha256),
  constraint user_session_kind_check CHECK ((kind = ANY (ARRAY['user'::text, 'admin'::text]))),
  constraint user_session_sha256_check CHECK ((length(sha256) = 32)),
  constraint user_session_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
CREATE INDEX user_session_user ON public.user_session USING btree (user_id, created_at);
alter table public.user_session enable row level security;
create policy own_rows on user_session for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

create table public.vital_daily (
  day date not null,
  page text not null,
  metric text not null,
  samples integer not null,
  p75 double precision not null,
  constraint vital_daily_pkey PRIMARY KEY (day, metric, page)
);

create table public.vital_sample (
  sample_id bigint generated always as identity not null,
  day date not null,
  page text not null,
  metric text not null,
  value double precision not null,
  constraint vital_sample_pkey PRIMARY KEY (sample_id),
  constraint vital_sample_metric_check CHECK ((metric = ANY (ARRAY['LCP'::text, 'FID'::text, 'CLS'::text, 'INP'::text]))),
  constraint vital_sample_page_check CHECK ((length(page) <= 200))
);
CREATE INDEX vital_sample_day ON public.vital_sample USING btree (day, metric, page);

create table public.watchlist_item (
  item_id text not null,
  user_id text not null,
  instrument_id text,
  symbol text not null,
  tags text[] default '{}'::text[] not null,
  note text,
  "position" integer not null,
  created_at timestamp with time zone default clock_timestamp() not null,
  constraint watchlist_item_pkey PRIMARY KEY (item_id),
  constraint watchlist_item_user_id_instrument_id_key UNIQUE (user_id, instrument_id),
  constraint watchlist_item_user_id_position_key UNIQUE (user_id, "position") DEFERRABLE INITIALLY DEFERRED,
  constraint watchlist_item_note_check CHECK ((length(note) <= 500)),
  constraint watchlist_item_position_check CHECK (("position" >= 0)),
  constraint watchlist_item_tags_check CHECK ((cardinality(tags) <= 20)),
  constraint watchlist_item_user_id_fkey FOREIGN KEY (user_id) REFERENCES app_user(user_id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX watchlist_item_unlisted ON public.watchlist_item USING btree (user_id, symbol) WHERE (instrument_id IS NULL);
alter table public.watchlist_item enable row level security;
create policy own_rows on watchlist_item for all using ((user_id = current_setting('app.uid'::text, true))) with check ((user_id = current_setting('app.uid'::text, true)));

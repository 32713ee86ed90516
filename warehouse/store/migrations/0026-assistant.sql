-- Chats with the assistant, questions that are being answered, shared copies, feedback and profiles; tokens that models used.

create table assistant_profile (
  user_id text primary key references app_user on delete cascade,
  about_me text not null default '' check (length(about_me) <= 4000),
  my_voice text not null default '' check (length(my_voice) <= 4000),
  my_rules text not null default '' check (length(my_rules) <= 4000),
  sharia_standard text not null default '' check (length(sharia_standard) <= 64),
  jurisdiction text not null default '' check (length(jurisdiction) <= 64),
  sectors text[] not null default '{}' check (cardinality(sectors) <= 50),
  updated_at timestamptz not null
);

-- A chat. Its id may be chosen by the client, so that it is unique for its user alone.
create table chat_session (
  user_id text not null references app_user on delete cascade,
  session_id text not null check (length(session_id) between 1 and 64),
  created_at timestamptz not null,
  last_at timestamptz not null, -- of its newest message: chats are forgotten by it
  primary key (user_id, session_id)
);
create index chat_session_age on chat_session (last_at);

create table chat_message (
  message_id text primary key, -- m_ and random letters
  user_id text not null references app_user on delete cascade,
  session_id text not null,
  ordinal integer not null check (ordinal >= 1), -- place in the chat
  role text not null check (role in ('user', 'assistant')),
  content text not null,
  envelope json, -- of an answer: claims, calls, citations; json keeps the order of members
  model text, -- of an answer: rules, or the model that wrote the prose
  created_at timestamptz not null,
  unique (user_id, session_id, ordinal),
  foreign key (user_id, session_id) references chat_session on delete cascade
);

-- A question that was counted, until shortly after its end. What it counted is given back in the transaction that ends it without an answer.
create table chat_run (
  run_id text primary key, -- id of the message that answers it
  user_id text not null references app_user on delete cascade,
  kind text not null check (kind in ('chat', 'ask', 'geochat')),
  session_id text, -- null: the texts are in no chat
  state text not null check (state in ('ticket', 'running', 'answered', 'failed', 'cancelled')),
  request jsonb, -- question, conversation and profile; null once it has ended
  image bytea, -- null once it has ended
  answer json, -- null until it is answered
  counted_on date, -- day of daily_use that it counts on; null: it does not count, or it was given back
  created_at timestamptz not null,
  alive_until timestamptz not null, -- moved on by the process that answers; past it, the process has ended
  followed_until timestamptz, -- moved on by clients that read its events; null: the client waits for the answer alone
  ended_at timestamptz
);
create index chat_run_user on chat_run (user_id, state);
create index chat_run_age on chat_run (created_at);

-- The events of a stream for five minutes: a client that lost its connection continues from its last one. Unlogged: a crash of Postgres ends streams.
create unlogged table chat_event (
  run_id text not null references chat_run on delete cascade,
  n integer not null check (n >= 1),
  user_id text not null references app_user on delete cascade,
  event text not null,
  data text not null, -- one line of JSON
  created_at timestamptz not null,
  primary key (run_id, n)
);
create index chat_event_user on chat_event (user_id);
create index chat_event_age on chat_event (created_at);

-- A copy of messages that its owner made public under an id that cannot be guessed.
create table chat_share (
  share_id text primary key check (length(share_id) >= 20),
  user_id text not null references app_user on delete cascade,
  title text check (length(title) <= 200),
  messages json not null,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index chat_share_user on chat_share (user_id, created_at);
create index chat_share_age on chat_share (expires_at);

create table assistant_feedback (
  feedback_id text primary key, -- fb_ and random letters
  user_id text not null references app_user on delete cascade,
  vote text not null,
  query text not null,
  answer text not null,
  model text not null,
  session_id text not null,
  created_at timestamptz not null
);
create index assistant_feedback_user on assistant_feedback (user_id, created_at);
create index assistant_feedback_age on assistant_feedback (created_at);

-- What models used on a day in UTC: the daily budget of the installation is counted by it. It names no person.
create table model_use (
  day date not null,
  model text not null,
  answers integer not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  primary key (day, model)
);

select protect_user_table('assistant_profile'), protect_user_table('chat_session'), protect_user_table('chat_message'), protect_user_table('chat_run'),
  protect_user_table('chat_event'), protect_user_table('chat_share'), protect_user_table('assistant_feedback');

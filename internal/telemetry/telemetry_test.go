package telemetry

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/secret"
)

type carrier struct{ Inner secretHolder }
type secretHolder struct{ APIKey string }

func TestLogsHoldNoSecret(t *testing.T) {
	t.Parallel()
	word := "canary" + "-31c9d2"
	token := "gh" + "s_" + strings.Repeat("aB3", 12)
	for _, format := range []string{"text", "json", ""} {
		var out bytes.Buffer
		log := NewLogger(&out, LogOptions{Level: slog.LevelDebug, Format: format})
		ctx := WithRequestID(t.Context(), "req-12345678")
		log.InfoContext(ctx, "cloning https://x:"+word+"@h.example/r.git?sig="+word,
			"run", "run_1", "password", word, "apiKey", word, "X-Api-Key", word, "client_secret", word, "Authorization", "Bearer "+word, "databaseUrl", "postgres://u:"+word+"@db/x",
			"secret", secret.New(word), "kept", "value", "tokens", 17, "tokenCount", 18,
			"err", &url.Error{Op: "Get", URL: "https://h.example/?key=" + word, Err: errors.New("refused " + token)},
			"struct", carrier{secretHolder{word}}, "pointer", &carrier{secretHolder{word}}, "map", map[string]string{"a": word},
			"bytes", []byte(word), "list", []string{"https://u:" + word + "@h.example/"}, "slice", []any{word},
			"nilError", (*url.Error)(nil), slog.Group("credentials", "user", word), slog.Group("group", "token", word, "url", "https://h.example/?a="+word))
		log.With("password", word).WithGroup("g").Info("m", "session_token", word)
		got := out.String()
		if strings.Contains(got, word) || strings.Contains(got, token) {
			t.Errorf("format %q:\n%s", format, got)
		}
		for _, want := range []string{"req-12345678", "run_1", "value", "17", "18", "https://redacted@h.example/r.git", secret.Redacted} {
			if !strings.Contains(got, want) {
				t.Errorf("format %q: %q is missing in\n%s", format, want, got)
			}
		}
	}
}

func TestDeniedKeys(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]bool{
		"token": true, "access_token": true, "webhookSecret": true, "PrivateKey": true, "private-key": true, "Set-Cookie": true,
		"key": false, "keyId": false, "tokenizer": false, "author": false, "repository": false, "": false, "tokens": false,
	} {
		if deniedKey(key) != want {
			t.Errorf("%q: denied = %v", key, !want)
		}
	}
}

func TestLogLevelsAndFormats(t *testing.T) {
	t.Parallel()
	var out bytes.Buffer
	log := NewLogger(&out, LogOptions{Level: slog.LevelWarn})
	log.Info("quiet")
	log.Warn("loud")
	if got := out.String(); strings.Contains(got, "quiet") || !strings.HasPrefix(got, "{") || !strings.Contains(got, "loud") {
		t.Errorf("no terminal means json: %q", got)
	}
	Discard().Error("nothing happens")
}

func TestRequestIDs(t *testing.T) {
	t.Parallel()
	for sent, kept := range map[string]bool{
		"abcdef-1234.X_y": true, "": false, "short": false, strings.Repeat("a", 65): false, "with space 123": false, "line\nbreak123": false, "ümlaut12345": false,
	} {
		if got := AcceptRequestID(sent); (got == sent) != kept || len(got) < 8 {
			t.Errorf("%q became %q", sent, got)
		}
	}
	if NewRequestID() == NewRequestID() || RequestID(t.Context()) != "" {
		t.Error("ids are fresh, and absent where none was set")
	}
}

func TestMetricsAreServed(t *testing.T) {
	t.Parallel()
	m := NewMetrics(Build{Version: "1.2.3", Commit: "abc", Edition: "self-hosted"})
	_ = NewMetrics(Build{}) // a second one must not collide, because nothing is global
	m.HTTPRequest("/api/x/{id}", "BREW", 418, time.Millisecond)
	m.WebhookAnswer("github", "accepted", time.Millisecond)
	m.Delivery("pull_request", "run")
	m.Job("review.run", "review", "done", time.Second)
	m.QueueLag("review", 3*time.Second)
	m.DeadJobs("review", 2)
	m.Dispatched("review", 4)
	m.Run("completed")
	m.ReviewStarted(time.Second)
	m.ModelCall(ModelCall{Provider: "openai", Tier: "fast", Outcome: "ok", InputTokens: 5, OutputTokens: -1, CostMicros: 7, Currency: "EUR"})
	m.GateWait("github", "write", time.Second)
	m.GateBlock("github", "secondary")
	m.Publish("review", "published")
	m.HostRequest("github", "create_review", "2xx", time.Second)

	s := httptest.NewServer(m.Handler())
	t.Cleanup(s.Close)
	resp, err := http.Get(s.URL) //nolint:noctx // a test against its own server
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`assay_build_info{commit="abc",edition="self-hosted",version="1.2.3"} 1`,
		`assay_http_requests_total{code="418",method="other",route="/api/x/{id}"} 1`,
		`assay_webhook_answers_total{outcome="accepted",source="github"} 1`,
		`assay_jobs_total{kind="review.run",lane="review",outcome="done"} 1`,
		`assay_queue_lag_seconds{lane="review"} 3`,
		`assay_dead_jobs{lane="review"} 2`,
		`assay_dispatched_hints_total{lane="review"} 4`,
		`assay_review_start_delay_seconds_count 1`,
		`assay_model_tokens_total{direction="input",provider="openai",tier="fast"} 5`,
		`assay_model_cost_micros_total{currency="EUR",provider="openai",tier="fast"} 7`,
		`assay_gate_blocks_total{host="github",reason="secondary"} 1`,
		`assay_publish_outcomes_total{kind="review",outcome="published"} 1`,
		"go_goroutines",
	} {
		if !strings.Contains(string(body), want) {
			t.Errorf("missing: %s", want)
		}
	}
}

package notify

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/testkit"
)

func TestQuietHours(t *testing.T) {
	t.Parallel()
	berlin := "Europe/Berlin" // from 29 March 2026 two hours before UTC, from 25 October one (IANA time zone database)
	for name, tc := range map[string]struct {
		hours *QuietHours
		now   string
		want  time.Duration
	}{
		"none":                           {nil, "2026-06-01T12:00:00Z", 0},
		"before":                         {&QuietHours{"13:00", "14:00", "UTC"}, "2026-06-01T12:59:59Z", 0},
		"their first moment":             {&QuietHours{"13:00", "14:00", "UTC"}, "2026-06-01T13:00:00Z", time.Hour},
		"their last moment":              {&QuietHours{"13:00", "14:00", "UTC"}, "2026-06-01T13:59:59Z", time.Second},
		"after":                          {&QuietHours{"13:00", "14:00", "UTC"}, "2026-06-01T14:00:00Z", 0},
		"over midnight, in the evening":  {&QuietHours{"19:00", "08:00", berlin}, "2026-06-01T18:00:00Z", 12 * time.Hour},
		"over midnight, in the morning":  {&QuietHours{"19:00", "08:00", berlin}, "2026-06-02T05:30:00Z", 30 * time.Minute},
		"over midnight, by day":          {&QuietHours{"19:00", "08:00", berlin}, "2026-06-02T06:00:00Z", 0},
		"another zone":                   {&QuietHours{"19:00", "08:00", "America/New_York"}, "2026-06-02T06:00:00Z", 6 * time.Hour},
		"a night with an hour less":      {&QuietHours{"19:00", "08:00", berlin}, "2026-03-28T22:00:00Z", 8 * time.Hour},
		"a night with an hour more":      {&QuietHours{"19:00", "08:00", berlin}, "2026-10-24T22:00:00Z", 9 * time.Hour},
		"a zone that is no longer known": {&QuietHours{"00:00", "23:59", "Mars/Olympus"}, "2026-06-01T12:00:00Z", 0},
		"no time":                        {&QuietHours{"x", "23:59", "UTC"}, "2026-06-01T12:00:00Z", 0},
	} {
		now, err := time.Parse(time.RFC3339, tc.now)
		testkit.OK(t, err)
		testkit.Equal(t, name, tc.hours.left(now), tc.want)
	}
}

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Duration{
		"": 0, "x": 0, "-5": 0, "0": 0, "120": 2 * time.Minute, "99999999999": 24 * time.Hour, "99999999999999999999999": 0,
		"Sat, 21 Nov 2026 12:30:00 GMT": 30 * time.Minute, "Sat, 21 Nov 2026 11:30:00 GMT": 0, "Sun, 21 Nov 2027 12:30:00 GMT": 24 * time.Hour,
	} {
		testkit.Equal(t, text, retryAfter(http.Header{"Retry-After": {text}}, now), want)
	}
}

// Every kind has a text for people and a body for programs. Names, titles and reasons are foreign text.
func TestWordsOfEveryKind(t *testing.T) {
	t.Parallel()
	a := eventContext{Repository: store.Repository{ID: "rep_1", Owner: "octo", Name: "repo"}, PullRequest: 7, Title: "A <b>title</b>", URL: "https://github.com/octo/repo/pull/7"}
	s := New(Config{Base: func() string { return "https://assay.example.com" }, Scan: func(text string) string { return strings.ReplaceAll(text, "hunter2", "[redacted]") }})
	inRun := eventPlace{RunID: "run_1", RepositoryID: "rep_1", PullRequest: 7}
	common := `"eventId":"evt_1",`
	tail := `"link":"https://assay.example.com/t/ten_1/repositories/rep_1/runs/run_1","pullRequest":{"number":7,"url":"https://github.com/octo/repo/pull/7"},`
	for kind, tc := range map[string]struct {
		body         any
		eventPlace   eventPlace
		eventContext eventContext
		title, text  string
		data         string
	}{
		domain.EventReviewCompleted: {domain.ReviewCompleted{RunID: "run_1", RepositoryID: "rep_1", PullRequest: 7, HeadSHA: "abc", State: domain.RunCompleted, ReviewURL: "https://github.com/x", Findings: 3, BySeverity: map[string]int{"high": 1, "info": 2}}, inRun, a,
			"Review of octo/repo#7 completed: 3 findings", "A <b>title</b>\n3 findings (1 high, 2 info).",
			`{` + common + `"findings":3,"findingsBySeverity":{"high":1,"info":2},"headSha":"abc",` + tail + `"repository":"octo/repo","repositoryId":"rep_1","reviewUrl":"https://github.com/x","runId":"run_1","state":"completed","tenantId":"ten_1"}`},
		domain.EventReviewFailed: {domain.ReviewFailed{RunID: "run_1", RepositoryID: "rep_1", PullRequest: 7, HeadSHA: "abc", State: domain.RunFailed, Reason: "the model said hunter2"}, inRun, a,
			"The review of octo/repo#7 failed", "A <b>title</b>\nReason: the model said [redacted]",
			`{` + common + `"headSha":"abc",` + tail + `"reason":"the model said [redacted]","repository":"octo/repo","repositoryId":"rep_1","runId":"run_1","state":"failed","tenantId":"ten_1"}`},
		domain.EventFindingDecided: {domain.FindingDecided{FindingID: "fnd_1", RunID: "run_1", RepositoryID: "rep_1", PullRequest: 7, State: domain.FindingDismissed, UserID: "usr_1", Name: "Mona", Reason: "it is hunter2"}, inRun, a,
			"A finding on octo/repo#7 was dismissed", "A <b>title</b>\nBy Mona. Reason: it is [redacted]",
			`{` + common + `"findingId":"fnd_1",` + strings.Replace(tail, `"pullRequest"`, `"name":"Mona","pullRequest"`, 1) + `"reason":"it is [redacted]","repository":"octo/repo","repositoryId":"rep_1","runId":"run_1","state":"dismissed","tenantId":"ten_1","userId":"usr_1"}`},
		domain.EventBudgetThreshold: {domain.BudgetThreshold{AlertID: "alr_1", RepositoryID: "rep_1", Period: "2026-11", Threshold: 80, BudgetMicros: 100_000_000, SpentMicros: 80_019_999, Currency: "USD"}, eventPlace{RepositoryID: "rep_1"}, eventContext{Repository: a.Repository},
			"80 % of the budget of octo/repo for 2026-11 is spent", "80.01 of 100.00 USD.",
			`{"alertId":"alr_1","budgetMicros":100000000,"currency":"USD",` + common + `"period":"2026-11","repository":"octo/repo","repositoryId":"rep_1","spentMicros":80019999,"tenantId":"ten_1","threshold":80}`},
		domain.EventConnectionError: {domain.ConnectionError{ConnectionKind: "mcp_server", ConnectionID: "mcp_1", Name: "docs", Message: "It refused hunter2."}, eventPlace{}, eventContext{},
			"The tool server docs does not work", "It refused [redacted].",
			`{"connectionId":"mcp_1","connectionKind":"mcp_server",` + common + `"message":"It refused [redacted].","name":"docs","tenantId":"ten_1"}`},
		domain.EventSecretFound: {domain.SecretFound{RunID: "run_1", RepositoryID: "rep_1", PullRequest: 7, HeadSHA: "abc", Count: 2, Rules: []string{"gitleaks/aws-access-token"}}, inRun, a,
			"2 committed secrets in octo/repo#7", "A <b>title</b>\nFound by: gitleaks/aws-access-token. Revoke what was committed: removing the line does not take it out of the history.",
			`{"count":2,` + common + `"headSha":"abc",` + tail + `"repository":"octo/repo","repositoryId":"rep_1","rules":["gitleaks/aws-access-token"],"runId":"run_1","tenantId":"ten_1"}`},
		domain.EventBreakGlass: {domain.BreakGlass{UserID: "usr_1", Act: domain.LinkUsed}, eventPlace{}, eventContext{},
			"A one-time sign-in link of an operator was used", "It signs in as the administrator usr_1. The audit log has the rest.",
			`{"act":"used",` + common + `"tenantId":"ten_1","userId":"usr_1"}`},
	} {
		body, err := json.Marshal(tc.body)
		testkit.OK(t, err)
		m, err := s.eventMessage(domain.Tenant{ID: "ten_1"}, store.Event{ID: "evt_1", Kind: kind, Body: string(body), CreatedUS: 1}, tc.eventPlace, tc.eventContext)
		testkit.OK(t, err)
		testkit.Equal(t, kind+" title", m.Title, tc.title)
		testkit.Equal(t, kind+" text", m.Text, tc.text)
		data, err := json.Marshal(m.Data)
		testkit.OK(t, err)
		testkit.Equal(t, kind+" data", string(data), tc.data)
	}
	if _, err := s.eventMessage(domain.Tenant{}, store.Event{Kind: domain.EventReviewFailed, Body: "[]"}, eventPlace{}, eventContext{}); err == nil {
		t.Error("an invalid body was accepted")
	}
}

// A message to a browser stays within the size that push services accept, whatever it contains.
func TestPushMessagesFit(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{"marks": strings.Repeat("<&>\"\\", 2000), "controls": strings.Repeat("\x01", 5000), "wide": strings.Repeat("😀", 5000)} {
		got, err := pushMessage(domain.NewID("evt"), Message{Event: domain.EventSecretFound, Title: text, Text: text, Link: "https://assay.example.com/" + strings.Repeat("x", 300)})
		testkit.OK(t, err)
		if len(got) > 3900 || !utf8.ValidString(got) || !json.Valid([]byte(got)) {
			t.Errorf("%s: %d bytes", name, len(got))
		}
	}
}

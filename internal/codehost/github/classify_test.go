package github

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/codehost/wire"
)

// at is our clock in these tests. The server's clock is two minutes ahead.
var (
	at     = time.Date(2026, 11, 21, 10, 0, 0, 0, time.UTC)
	server = at.Add(2 * time.Minute)
)

func httpDate(t time.Time) string { return t.UTC().Format(http.TimeFormat) }

func headers(kv ...string) http.Header {
	h := http.Header{"Date": {httpDate(server)}, "X-Github-Request-Id": {"ABCD:1"}}
	for i := 0; i < len(kv); i += 2 {
		h.Set(kv[i], kv[i+1])
	}
	return h
}

func TestJudge(t *testing.T) {
	t.Parallel()
	const (
		slot      = `{"message":"Unprocessable Entity","errors":["User can only have one pending review per pull request"]}`
		secondary = `{"message":"You have exceeded a secondary rate limit. Please wait a few minutes."}`
		forbidden = `{"message":"Resource not accessible by integration","documentation_url":"https://docs.github.com/rest"}`
	)
	resetAt := func(d time.Duration) string { return itoa(server.Add(d).Unix()) }
	for name, tc := range map[string]struct {
		status  int
		header  http.Header
		body    string
		effect  bool
		graphql bool
		class   codehost.Class // "" for success
		block   time.Duration
		grow    bool
		healthy bool
	}{
		"success":                              {status: 200, body: `{}`, healthy: true},
		"created":                              {status: 201, effect: true, healthy: true},
		"no content":                           {status: 204, effect: true, healthy: true},
		"last request of the budget":           {status: 200, header: headers("X-RateLimit-Remaining", "0", "X-RateLimit-Reset", resetAt(30*time.Second)), block: 31 * time.Second},
		"last search request is not ours":      {status: 200, header: headers("X-RateLimit-Remaining", "0", "X-RateLimit-Reset", resetAt(30*time.Second), "X-RateLimit-Resource", "search"), healthy: true},
		"retry-after in seconds":               {status: 403, header: headers("Retry-After", "45"), class: codehost.ClassLimited, block: 45 * time.Second},
		"retry-after wins over reset":          {status: 403, header: headers("Retry-After", "45", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", resetAt(time.Hour)), class: codehost.ClassLimited, block: 45 * time.Second},
		"retry-after as date, skewed clock":    {status: 429, header: headers("Retry-After", httpDate(server.Add(50*time.Second))), class: codehost.ClassLimited, block: 50 * time.Second},
		"retry-after in the past":              {status: 429, header: headers("Retry-After", httpDate(server.Add(-time.Hour))), class: codehost.ClassLimited, block: time.Second},
		"retry-after zero":                     {status: 429, header: headers("Retry-After", "0"), class: codehost.ClassLimited, block: time.Second},
		"retry-after absurd":                   {status: 429, header: headers("Retry-After", "99999999999999"), class: codehost.ClassLimited, block: 24 * time.Hour},
		"retry-after unreadable":               {status: 403, header: headers("Retry-After", "soon"), body: forbidden, class: codehost.ClassLimited, block: time.Minute, grow: true},
		"retry-after negative":                 {status: 403, header: headers("Retry-After", "-5"), class: codehost.ClassLimited, block: time.Minute, grow: true},
		"remaining 0":                          {status: 403, header: headers("X-RateLimit-Remaining", "0", "X-RateLimit-Reset", resetAt(90*time.Second)), class: codehost.ClassLimited, block: 91 * time.Second},
		"remaining 0 as 429":                   {status: 429, header: headers("X-RateLimit-Remaining", "0", "X-RateLimit-Reset", resetAt(90*time.Second)), class: codehost.ClassLimited, block: 91 * time.Second},
		"remaining 0 without reset":            {status: 403, header: headers("X-RateLimit-Remaining", "0"), class: codehost.ClassLimited, block: time.Minute, grow: true},
		"remaining 0, reset unreadable":        {status: 403, header: headers("X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "later"), class: codehost.ClassLimited, block: time.Minute, grow: true},
		"secondary by words only":              {status: 403, body: secondary, class: codehost.ClassLimited, block: time.Minute, grow: true},
		"secondary of a write":                 {status: 403, body: secondary, effect: true, class: codehost.ClassLimited, block: time.Minute, grow: true},
		"abuse by words only":                  {status: 403, body: `{"message":"You have triggered an abuse detection mechanism."}`, class: codehost.ClassLimited, block: time.Minute, grow: true},
		"secondary in plain text":              {status: 403, body: "secondary rate limit", class: codehost.ClassLimited, block: time.Minute, grow: true},
		"secondary by documentation":           {status: 403, body: `{"message":"Wait.","documentation_url":"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"}`, class: codehost.ClassLimited, block: time.Minute, grow: true},
		"abuse by documentation":               {status: 403, body: `{"message":"Wait.","documentation_url":"https://developer.github.com/v3/#abuse-rate-limits"}`, class: codehost.ClassLimited, block: time.Minute, grow: true},
		"429 with nothing":                     {status: 429, class: codehost.ClassLimited, block: time.Minute, grow: true},
		"403 without signs of a limit":         {status: 403, body: forbidden, class: codehost.ClassForbidden, healthy: true},
		"403 with requests left":               {status: 403, header: headers("X-RateLimit-Remaining", "12"), body: forbidden, class: codehost.ClassForbidden, healthy: true},
		"403, too large a file":                {status: 403, body: `{"message":"This API returns blobs up to 100 MB","errors":[{"resource":"Blob","field":"data","code":"too_large"}]}`, class: codehost.ClassTooLarge, healthy: true},
		"401":                                  {status: 401, body: `{"message":"Bad credentials"}`, class: codehost.ClassForbidden, healthy: true},
		"451":                                  {status: 451, class: codehost.ClassForbidden, healthy: true},
		"GraphQL limit":                        {status: 200, header: headers("X-RateLimit-Reset", resetAt(10*time.Second)), body: `{"errors":[{"type":"RATE_LIMITED","message":"API rate limit exceeded"}]}`, graphql: true, class: codehost.ClassLimited, block: 11 * time.Second},
		"GraphQL limit without reset":          {status: 200, body: `{"errors":[{"type":"RATE_LIMITED"}]}`, graphql: true, class: codehost.ClassLimited, block: time.Minute, grow: true},
		"GraphQL other error":                  {status: 200, body: `{"errors":[{"type":"NOT_FOUND"}]}`, graphql: true, healthy: true},
		"the same words of REST are an answer": {status: 200, body: `{"errors":[{"type":"RATE_LIMITED"}]}`, healthy: true},
		"404":                                  {status: 404, body: `{"message":"Not Found"}`, class: codehost.ClassNotFound, healthy: true},
		"410":                                  {status: 410, class: codehost.ClassNotFound, healthy: true},
		"301":                                  {status: 301, body: `{"message":"Moved Permanently"}`, class: codehost.ClassMoved, healthy: true},
		"307 of a write":                       {status: 307, effect: true, class: codehost.ClassMoved, healthy: true},
		"422 slot":                             {status: 422, body: slot, effect: true, class: codehost.ClassSlotTaken, healthy: true},
		"422 line":                             {status: 422, body: `{"message":"Unprocessable Entity","errors":["Line could not be resolved"]}`, effect: true, class: codehost.ClassInvalid, healthy: true},
		"422 body too long":                    {status: 422, body: `{"message":"Validation Failed","errors":[{"resource":"PullRequestReview","field":"body","code":"custom","message":"body is too long (maximum is 65536 characters)"}]}`, effect: true, class: codehost.ClassTooLarge, healthy: true},
		"422 diff not available":               {status: 422, body: `{"message":"Server Error: Sorry, this diff is taking too long to generate.","errors":[{"resource":"PullRequest","field":"diff","code":"not_available"}]}`, class: codehost.ClassUnavailable, healthy: true},
		"422 not JSON":                         {status: 422, body: `<html>`, class: codehost.ClassInvalid, healthy: true},
		"400":                                  {status: 400, class: codehost.ClassInvalid, healthy: true},
		"406 too large a diff":                 {status: 406, body: `{"message":"Sorry, the diff exceeded the maximum number of lines (20000)","errors":[{"resource":"PullRequest","field":"diff","code":"too_large"}]}`, class: codehost.ClassTooLarge, healthy: true},
		"413":                                  {status: 413, effect: true, class: codehost.ClassTooLarge, healthy: true},
		"500 of a read":                        {status: 500, class: codehost.ClassUnavailable},
		"500 of a write":                       {status: 500, effect: true, class: codehost.ClassAmbiguous},
		"502 of a write":                       {status: 502, body: "<html>", effect: true, class: codehost.ClassAmbiguous},
		"503 with retry-after, read":           {status: 503, header: headers("Retry-After", "20"), class: codehost.ClassLimited, block: 20 * time.Second},
		"503 with retry-after, write":          {status: 503, header: headers("Retry-After", "20"), effect: true, class: codehost.ClassAmbiguous, block: 20 * time.Second},
		"500 that mentions limits":             {status: 500, body: secondary, class: codehost.ClassUnavailable},
		"404 that mentions limits":             {status: 404, body: secondary, class: codehost.ClassNotFound, healthy: true},
		"408 of a write":                       {status: 408, effect: true, class: codehost.ClassAmbiguous, healthy: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := tc.header
			if h == nil {
				h = headers()
			}
			resp := &http.Response{StatusCode: tc.status, Header: h}
			if tc.graphql {
				resp.Request = &http.Request{URL: &url.URL{Path: "/api/graphql"}}
			}
			v := rules.Judge(wire.Answer{Resp: resp, Body: []byte(tc.body), Sent: true, Effect: tc.effect, Now: at})
			var class codehost.Class
			if v.Err != nil {
				class = v.Err.Class
				if v.Err.Status != tc.status || v.Err.RequestID != "ABCD:1" {
					t.Errorf("status and request id are %d, %q", v.Err.Status, v.Err.RequestID)
				}
				if v.Err.RetryAfter != tc.block {
					t.Errorf("RetryAfter = %v, want %v", v.Err.RetryAfter, tc.block)
				}
			}
			if class != tc.class || v.Block != tc.block || v.Grow != tc.grow || v.Healthy != tc.healthy {
				t.Fatalf("judge = class %q block %v grow %v healthy %v; want %q %v %v %v",
					class, v.Block, v.Grow, v.Healthy, tc.class, tc.block, tc.grow, tc.healthy)
			}
		})
	}
}

func TestJudgeWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	ok := &http.Response{StatusCode: 201, Header: headers()}
	for name, tc := range map[string]struct {
		a    wire.Answer
		want codehost.Class
	}{
		"read failed":            {wire.Answer{Err: context.DeadlineExceeded, Sent: true}, codehost.ClassUnavailable},
		"write surely not sent":  {wire.Answer{Err: errors.New("dial"), Effect: true}, codehost.ClassUnavailable},
		"write sent, no answer":  {wire.Answer{Err: context.DeadlineExceeded, Sent: true, Effect: true}, codehost.ClassAmbiguous},
		"write sent, answer cut": {wire.Answer{Resp: ok, Err: errors.New("unexpected EOF"), Sent: true, Effect: true}, codehost.ClassAmbiguous},
		"read, answer cut":       {wire.Answer{Resp: ok, Err: errors.New("unexpected EOF"), Sent: true}, codehost.ClassUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := rules.Judge(tc.a)
			if v.Err == nil || v.Err.Class != tc.want || v.Block != 0 {
				t.Fatalf("judge = %+v, want class %s and no block", v.Err, tc.want)
			}
			if tc.a.Err != nil && !errors.Is(v.Err, tc.a.Err) {
				t.Fatal("the cause is lost")
			}
		})
	}
}

func TestMessagesOfTheHostAreTamed(t *testing.T) {
	t.Parallel()
	token := "gh" + "p_" + strings.Repeat("Ab3", 12)
	for name, tc := range map[string]struct{ body, has, hasNot string }{
		"details":    {`{"message":"Validation Failed","errors":[{"message":"line 7 is not part of the diff"},{"resource":"R","field":"f","code":"missing"}]}`, "line 7 is not part of the diff; R f missing", ""},
		"strings":    {`{"message":"Unprocessable Entity","errors":["Line could not be resolved"]}`, "Line could not be resolved", ""},
		"credential": {`{"message":"bad token ` + token + `"}`, "bad [", token},
		"newlines":   {`{"message":"a\nb\u001b[31m"}`, "a b", "\x1b"},
		"long":       {`{"message":"` + strings.Repeat("é", 2000) + `"}`, "é…", strings.Repeat("é", 501)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			v := rules.Judge(wire.Answer{Resp: &http.Response{StatusCode: 422, Header: headers()}, Body: []byte(tc.body)})
			if !strings.Contains(v.Err.Message, tc.has) || (tc.hasNot != "" && strings.Contains(v.Err.Error(), tc.hasNot)) || !utf8.ValidString(v.Err.Message) {
				t.Fatalf("message %q", v.Err.Message)
			}
		})
	}
}

func FuzzBlockHeaders(f *testing.F) {
	f.Add("45", "1790000000", httpDate(at))
	f.Add(httpDate(at.Add(time.Hour)), "-1", "never")
	f.Add("Sunday, 06-Nov-94 08:49:37 GMT", "99999999999999999999", "Sun Nov  6 08:49:37 1994")
	f.Add("", "", "")
	f.Fuzz(func(t *testing.T, after, resetHeader, date string) {
		h := http.Header{"Retry-After": {after}, "X-Ratelimit-Reset": {resetHeader}, "Date": {date}}
		for _, read := range []func(http.Header, time.Time) (time.Duration, bool){wire.RetryAfter, resetWait} {
			d, ok := read(h, at)
			if ok && (d < wire.MinBlock || d > wire.MaxBlock) || !ok && d != 0 {
				t.Fatalf("block %v, %v for %q", d, ok, h)
			}
		}
		h.Set("X-RateLimit-Remaining", "0")
		v := rules.Judge(wire.Answer{Resp: &http.Response{StatusCode: 403, Header: h}, Now: at})
		if v.Err == nil || v.Err.Class != codehost.ClassLimited || v.Block < wire.MinBlock || v.Block > wire.MaxBlock {
			t.Fatalf("judge = %+v", v)
		}
	})
}

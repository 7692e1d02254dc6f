package bedrock

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/wire"
)

// trip answers requests without a network.
type trip func(*http.Request) (*http.Response, error)

func (f trip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func reader(t testing.TB, f trip) *Client {
	t.Helper()
	c, err := New(Config{RuntimeURL: "https://h.example", ControlURL: "https://c.example", HTTP: &http.Client{Transport: f}})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDecode(t *testing.T) {
	t.Parallel()
	stop := func(s string) string {
		return `{"output":{"message":{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"hm"}}},{"text":"a"},{"text":"b"}]}},"stopReason":"` + s + `"}`
	}
	for name, c := range map[string]struct {
		in, text string
		stop     llm.StopReason
		class    llm.Class
	}{
		"end":         {in: stop("end_turn"), text: "ab", stop: llm.StopEnd},
		"sequence":    {in: stop("stop_sequence"), text: "ab", stop: llm.StopEnd},
		"cut off":     {in: stop("max_tokens"), text: "ab", stop: llm.StopLength},
		"guardrail":   {in: stop("guardrail_intervened"), text: "ab", stop: llm.StopFiltered},
		"filtered":    {in: stop("content_filtered"), text: "ab", stop: llm.StopFiltered},
		"malformed":   {in: stop("malformed_tool_use"), text: "ab", stop: llm.StopOther},
		"context":     {in: stop("model_context_window_exceeded"), class: llm.ClassContextLength},
		"wrong kinds": {in: `{"output":[]}`, class: llm.ClassInvalidResponse},
		"empty":       {in: ``, class: llm.ClassInvalidResponse},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := read(wire.Reply{Status: 200, Body: []byte(c.in)}, "m")
			e, failed := errors.AsType[*llm.Error](err)
			if failed != (c.class != "") || failed && e.Class != c.class || out.Text != c.text || out.StopReason != c.stop {
				t.Errorf("%+v, %v", out, err)
			}
		})
	}
}

func TestUsageIsNormalised(t *testing.T) {
	t.Parallel()
	whole := llm.Usage{InputTokens: 100, CachedInputTokens: 64, CacheWriteTokens: 30, OutputTokens: 10}
	for name, c := range map[string]struct {
		in   string
		want llm.Usage
	}{
		"separate, by the total":     {`{"inputTokens":6,"outputTokens":10,"totalTokens":110,"cacheReadInputTokens":64,"cacheWriteInputTokens":30}`, whole},
		"within, by the total":       {`{"inputTokens":100,"outputTokens":10,"totalTokens":110,"cacheReadInputTokens":64,"cacheWriteInputTokens":30}`, whole},
		"separate, without total":    {`{"inputTokens":6,"outputTokens":10,"cacheReadInputTokens":64,"cacheWriteInputTokens":30}`, whole},
		"separate, with wrong total": {`{"inputTokens":6,"outputTokens":10,"totalTokens":16,"cacheReadInputTokens":64,"cacheWriteInputTokens":30}`, whole},
		"the user guide's example":   {`{"inputTokens":9,"outputTokens":383,"totalTokens":2087,"cacheReadInputTokens":0,"cacheWriteInputTokens":1695}`, llm.Usage{InputTokens: 1704, CacheWriteTokens: 1695, OutputTokens: 383}},
		"nothing cached":             {`{"inputTokens":100,"outputTokens":10,"totalTokens":110}`, llm.Usage{InputTokens: 100, OutputTokens: 10}},
		"null and negative numbers":  {`{"inputTokens":null,"outputTokens":-1,"cacheReadInputTokens":"x"}`, llm.Usage{}},
	} {
		out, err := read(wire.Reply{Status: 200, Body: []byte(`{"output":{"message":{}},"stopReason":"end_turn","usage":` + c.in + `}`)}, "m")
		if err != nil || out.Usage != c.want {
			t.Errorf("%s: %+v, %v", name, out.Usage, err)
		}
	}
}

// TestAFullContextIsCounted: the provider charges for it.
func TestAFullContextIsCounted(t *testing.T) {
	t.Parallel()
	out, err := read(wire.Reply{Status: 200, Body: []byte(`{"output":{"message":{"content":[{"text":"half"}]}},"stopReason":"model_context_window_exceeded","usage":{"inputTokens":100,"outputTokens":10,"totalTokens":110}}`)}, "m")
	if err == nil || out.Text != "" || out.Usage != (llm.Usage{InputTokens: 100, OutputTokens: 10}) {
		t.Errorf("%+v, %v", out, err)
	}
}

// TestAListThatHangsIsAnError: the caller's context does not end.
func TestAListThatHangsIsAnError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		_, err := reader(t, func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		}).ListModels(t.Context())
		if e, ok := errors.AsType[*llm.Error](err); !ok || !e.Retryable() || time.Since(began) != wire.ListTimeout {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// TestPagesEnd: a list without a last page is not read forever.
func TestPagesEnd(t *testing.T) {
	t.Parallel()
	n := 0
	got, err := reader(t, func(r *http.Request) (*http.Response, error) {
		n++
		body := `{"modelSummaries":[]}`
		if strings.HasSuffix(r.URL.Path, "/inference-profiles") {
			body = `{"inferenceProfileSummaries":[{"inferenceProfileId":"eu.a","status":"ACTIVE"},{"inferenceProfileId":"eu.old","status":"DELETED"}],"nextToken":"again"}`
		}
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
	}).ListModels(t.Context())
	if err != nil || len(got) != 1 || n != maxPages+2 {
		t.Errorf("%v, %v after %d requests", got, err, n)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"output":{"message":{"content":[{"text":"a"},{"toolUse":{"toolUseId":1,"input":{"a":1}}}]}},"stopReason":"tool_use","usage":{"inputTokens":5,"totalTokens":1e15,"cacheReadInputTokens":7}}`))
	f.Add([]byte(`{"__type":"a#b#ThrottlingException","Message":"x\n"}`))
	c := reader(f, nil)
	f.Fuzz(func(t *testing.T, body []byte) {
		out, err := read(wire.Reply{Status: 200, Body: body}, "m")
		u := out.Usage
		if u.CachedInputTokens < 0 || u.CacheWriteTokens < 0 || u.CachedInputTokens+u.CacheWriteTokens > u.InputTokens || u.OutputTokens < 0 {
			t.Errorf("usage %+v", u)
		}
		for _, e := range []error{err, failure(c.runtime, wire.Reply{Status: 400, Body: body, Header: http.Header{"X-Amzn-Errortype": {string(body)}}}, llm.EffortHigh)} {
			if e != nil && strings.ContainsAny(e.Error(), "\r\n") {
				t.Errorf("error %q", e)
			}
		}
	})
}

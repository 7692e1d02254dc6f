package wire_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/wire"
	"github.com/assay-dev/assay/internal/outbound"
	"github.com/assay-dev/assay/internal/secret"
)

// trip answers requests without a network.
type trip func(*http.Request) (*http.Response, error)

func (f trip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func answering(status int, body string) trip {
	return func(r *http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
	}
}

func conn(t testing.TB, f trip, change ...func(*wire.Config)) *wire.Conn {
	t.Helper()
	cfg := wire.Config{BaseURL: "https://h.example/v1/", Key: secret.New("key-of-a-test"), HTTP: &http.Client{Transport: f}}
	for _, c := range change {
		c(&cfg)
	}
	c, err := wire.New(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestARequest(t *testing.T) {
	t.Parallel()
	var got *http.Request
	var body []byte
	c := conn(t, func(r *http.Request) (*http.Response, error) {
		got = r
		body, _ = io.ReadAll(r.Body)
		return answering(http.StatusOK, "{}")(r)
	})
	if rep, err := c.Post(t.Context(), "/x", map[string]string{"a": "<&"}); err != nil || !rep.OK() {
		t.Fatal(err)
	}
	if got.URL.String() != "https://h.example/v1/x" || got.Header.Get("Authorization") != "Bearer key-of-a-test" || got.Header.Get("Content-Type") != "application/json" || string(body) != "{\"a\":\"<&\"}\n" {
		t.Errorf("%s %v %s", got.URL, got.Header, body)
	}
	if _, err := c.Post(t.Context(), "/x", func() {}); !isClass(err, llm.ClassFinal) {
		t.Errorf("a value that is not JSON: %v", err)
	}
}

func isClass(err error, class llm.Class) bool {
	e, ok := errors.AsType[*llm.Error](err)
	return ok && e.Class == class && e.ProviderMessage != ""
}

func TestFailuresOfTheTransport(t *testing.T) {
	t.Parallel()
	fails := func(err error) trip { return func(*http.Request) (*http.Response, error) { return nil, err } }
	for name, c := range map[string]struct {
		trip trip
		want llm.Class
		says string
	}{
		"refused address": {fails(&outbound.RefusedError{}), llm.ClassFinal, "not allowed"},
		"idle":            {fails(outbound.ErrIdle), llm.ClassRetryable, "in time"},
		"too large":       {fails(outbound.ErrTooLarge), llm.ClassInvalidResponse, "larger"},
		"broken off":      {fails(io.ErrUnexpectedEOF), llm.ClassRetryable, "broke off"},
		"unreachable":     {fails(errors.New("dial tcp 10.0.0.1: refused")), llm.ClassRetryable, "could not be reached"},
		"one byte more":   {answering(200, strings.Repeat(" ", 101)), llm.ClassInvalidResponse, "larger"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := conn(t, c.trip, func(cfg *wire.Config) { cfg.MaxResponseBytes = 100 }).Post(t.Context(), "/x", 1)
			if !isClass(err, c.want) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "10.0.0.1") {
				t.Errorf("%v", err)
			}
		})
	}
	if rep, err := conn(t, answering(200, strings.Repeat(" ", 100)), func(cfg *wire.Config) { cfg.MaxResponseBytes = 100 }).Post(t.Context(), "/x", 1); err != nil || len(rep.Body) != 100 {
		t.Errorf("an answer of exactly the maximum size: %v", err)
	}
}

func TestAListHasItsOwnBounds(t *testing.T) {
	t.Parallel()
	if _, err := conn(t, answering(200, strings.Repeat(" ", wire.MaxListBytes+1))).List(t.Context(), "/models"); !isClass(err, llm.ClassInvalidResponse) {
		t.Errorf("a large list: %v", err)
	}
	synctest.Test(t, func(t *testing.T) {
		hang := trip(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, context.Cause(r.Context())
		})
		began := time.Now()
		if _, err := conn(t, hang).List(t.Context(), "/models"); !isClass(err, llm.ClassRetryable) || time.Since(began) != wire.ListTimeout {
			t.Errorf("%v after %v", err, time.Since(began))
		}
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := conn(t, hang).List(short, "/models"); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("the caller's end: %v", err)
		}
	})
}

func TestEmbed(t *testing.T) {
	t.Parallel()
	in := llm.EmbedRequest{Model: "m", Texts: []string{"a", "b"}, Size: 2}
	for name, c := range map[string]struct {
		body string
		want llm.Class
	}{
		"in another order": {`{"model":"m-1","data":[{"index":1,"embedding":[3,4]},{"index":0,"embedding":[1,2]}],"usage":{"prompt_tokens":9}}`, ""},
		"without index":    {`{"data":[{"embedding":[1,2]},{"embedding":[3,4]}]}`, ""},
		"twice the index":  {`{"data":[{"index":0,"embedding":[1,2]},{"index":0,"embedding":[3,4]}]}`, llm.ClassInvalidResponse},
		"index too large":  {`{"data":[{"index":0,"embedding":[1,2]},{"index":2,"embedding":[3,4]}]}`, llm.ClassInvalidResponse},
		"negative index":   {`{"data":[{"index":-1,"embedding":[1,2]},{"index":1,"embedding":[3,4]}]}`, llm.ClassInvalidResponse},
		"one short":        {`{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[3,4]}]}`, llm.ClassInvalidResponse},
		"one null":         {`{"data":[{"index":0,"embedding":null},{"index":1,"embedding":[3,4]}]}`, llm.ClassInvalidResponse},
		"base64":           {`{"data":[{"index":0,"embedding":"AAAA"},{"index":1,"embedding":"AAAA"}]}`, llm.ClassInvalidResponse},
		"too large number": {`{"data":[{"index":0,"embedding":[1e99,2]},{"index":1,"embedding":[3,4]}]}`, llm.ClassInvalidResponse},
		"none":             {`{"data":[]}`, llm.ClassInvalidResponse},
		"HTML":             {`<html>`, llm.ClassInvalidResponse},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := conn(t, answering(200, c.body)).Embed(t.Context(), in, wire.OpenAIEmbeddings)
			if c.want != "" {
				if !isClass(err, c.want) || out.Vectors != nil {
					t.Errorf("%+v, %v", out, err)
				}
				return
			}
			if err != nil || out.Vectors[0][0] != 1 || out.Vectors[1][1] != 4 {
				t.Errorf("%+v, %v", out, err)
			}
		})
	}
}

// TestASizeThatIsRefusedIsLeftOut: models with a single size refuse the member.
func TestASizeThatIsRefusedIsLeftOut(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		numbers string
		want    llm.Class
	}{"the right one": {"1,2", ""}, "another one": {"1,2,3", llm.ClassInvalidResponse}} {
		var bodies []string
		out, err := conn(t, func(r *http.Request) (*http.Response, error) {
			raw, _ := io.ReadAll(r.Body)
			bodies = append(bodies, string(raw))
			if bytes.Contains(raw, []byte(`"dimensions"`)) {
				return answering(400, `{"error":{"message":"This model does not support specifying dimensions.","type":"invalid_request_error","param":null,"code":null}}`)(r)
			}
			return answering(200, `{"data":[{"index":0,"embedding":[`+c.numbers+`]}]}`)(r)
		}).Embed(t.Context(), llm.EmbedRequest{Model: "m", Texts: []string{"a"}, Size: 2}, wire.OpenAIEmbeddings)
		if (err == nil) != (c.want == "") || c.want != "" && !isClass(err, c.want) || len(bodies) != 2 {
			t.Errorf("%s: %+v, %v after %d requests", name, out, err, len(bodies))
		}
	}
}

// TestLargeVectorsComeInParts: OpenAI writes one number per line, and 128 vectors of 3,072 numbers exceed the
// bound of an answer.
func TestLargeVectorsComeInParts(t *testing.T) {
	t.Parallel()
	in := llm.EmbedRequest{Model: "m", Size: 3072}
	for i := range 128 {
		in.Texts = append(in.Texts, strconv.Itoa(i))
	}
	requests := 0
	out, err := conn(t, func(r *http.Request) (*http.Response, error) {
		requests++
		var asked struct{ Input []string }
		_ = json.NewDecoder(r.Body).Decode(&asked)
		var b strings.Builder
		b.WriteString(`{"usage":{"prompt_tokens":` + strconv.Itoa(len(asked.Input)) + `},"data":[`)
		for i, text := range asked.Input {
			b.WriteString(strings.Repeat(",", min(i, 1)) + `{"index":` + strconv.Itoa(i) + `,"embedding":[` + text)
			b.WriteString(strings.Repeat(",\n        -0.0069292834", in.Size-1) + "]}")
		}
		return answering(http.StatusOK, b.String()+"]}")(r)
	}).Embed(t.Context(), in, wire.OpenAIEmbeddings)
	if err != nil || len(out.Vectors) != 128 || requests != 2 || out.Usage.InputTokens != 128 {
		t.Fatalf("%d vectors after %d requests, usage %+v, %v", len(out.Vectors), requests, out.Usage, err)
	}
	for i, v := range out.Vectors {
		if len(v) != in.Size || v[0] != float32(i) {
			t.Fatalf("vector %d begins with %v", i, v[0])
		}
	}
}

func TestModelLists(t *testing.T) {
	t.Parallel()
	var l wire.ModelList
	if got := l.Models(); got == nil || len(got) != 0 {
		t.Error("an empty list is not nil")
	}
	l.Add("a", "", " Name\n")
	l.Add("a", "twice")
	l.Add("")
	l.Add("with\x00control")
	l.Add(strings.Repeat("x", 257))
	l.Add("b")
	if got := l.Models(); len(got) != 2 || got[0].ID != "a" || got[0].DisplayName != "Name" || got[1].DisplayName != "b" {
		t.Errorf("%+v", got)
	}
}

func TestLenientValues(t *testing.T) {
	t.Parallel()
	var in struct {
		T []wire.Text
		C []wire.Count
	}
	if err := json.Unmarshal([]byte(`{"T":["a",1,true,null,{},[]],"C":[1,1.9,-1,"2",null,1e300,{}]}`), &in); err != nil {
		t.Fatal(err)
	}
	for i, want := range []wire.Text{"a", "1", "true", "", "", ""} {
		if in.T[i] != want {
			t.Errorf("text %d is %q", i, in.T[i])
		}
	}
	for i, want := range []wire.Count{1, 1, 0, 0, 0, 1e12, 0} {
		if in.C[i] != want {
			t.Errorf("count %d is %d", i, in.C[i])
		}
	}
	for text, want := range map[string]string{`{"a":1}`: `{"a":1}`, ``: `{}`, `[]`: `{}`, `null`: `{}`, `3`: `{}`, `{"a"`: `{}`} {
		if got := string(wire.Object(text)); got != want {
			t.Errorf("object of %s is %s", text, got)
		}
	}
}

func TestErrorsWithinASuccess(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{`{"message":"m","code":502}`: 502, `{"message":"m","code":"server_error"}`: 500, `{"message":"m","type":"overloaded_error"}`: 500,
		`{"message":"m","code":"rate_limit_exceeded"}`: 500, `{"message":"m","code":"invalid_prompt"}`: 400, `"text"`: 400, `{"code":99}`: 400} {
		var p wire.Problem
		if err := json.Unmarshal([]byte(body), &p); err != nil {
			t.Fatal(err)
		}
		if got := p.Failure(); got.Status != want {
			t.Errorf("%s: %d, want %d", body, got.Status, want)
		}
	}
}

func FuzzEmbed(f *testing.F) {
	f.Add([]byte(`{"model":"m","data":[{"index":1,"embedding":[3,4]},{"index":0,"embedding":[1,2]}],"usage":{"prompt_tokens":9}}`))
	f.Add([]byte(`{"data":[{"embedding":[1e39]},{}]}`))
	in := llm.EmbedRequest{Model: "m", Texts: []string{"a", "b"}, Size: 2}
	f.Fuzz(func(t *testing.T, body []byte) {
		out, err := conn(t, answering(200, string(body))).Embed(t.Context(), in, wire.OpenAIEmbeddings)
		if err == nil && (len(out.Vectors) != 2 || len(out.Vectors[0]) != 2 || len(out.Vectors[1]) != 2) || out.Usage.InputTokens < 0 {
			t.Errorf("%+v", out)
		}
	})
}

func FuzzParseProblem(f *testing.F) {
	f.Add([]byte(`{"error":{"message":"m","code":1},"detail":[{"loc":[1],"msg":null}]}`))
	f.Fuzz(func(t *testing.T, body []byte) {
		p := wire.ParseProblem(wire.Reply{Status: 400, Header: http.Header{"Content-Type": {"text/plain"}}, Body: body})
		if e := conn(t, nil).Classify(wire.Reply{Status: 400}, p, llm.EffortHigh); strings.ContainsAny(e.Error(), "\r\n") {
			t.Errorf("error %q", e.Error())
		}
	})
}

// A 404 from a web server suggests a wrong base URL. A 404 of the protocol is about the requested object.
func TestNothingAtTheBaseURL(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		body   string
		hint   bool
	}{
		"a web server":   {404, "404 page not found\n", true},
		"HTML":           {404, "<html>", true},
		"no body":        {404, "", true},
		"the protocol":   {404, `{"error":{"message":"no such model"}}`, false},
		"another status": {400, "nonsense", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cl := conn(t, answering(c.status, c.body))
			rep, err := cl.Post(t.Context(), "/chat/completions", map[string]string{})
			if err != nil {
				t.Fatal(err)
			}
			e := cl.Failure(rep, llm.EffortDefault)
			if strings.Contains(e.ProviderMessage, "Check the base URL") != c.hint || e.Class != llm.ClassFinal {
				t.Errorf("%+v", e)
			}
		})
	}
}

package chat

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/wire"
)

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestAListIsGivenEightSeconds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, err := New(Config{BaseURL: "https://models.example/v1", HTTP: &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})}})
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		_, err = c.ListModels(t.Context())
		if e, ok := errors.AsType[*llm.Error](err); !ok || !e.Retryable() || time.Since(began) != wire.ListTimeout {
			t.Errorf("%v after %v", err, time.Since(began))
		}
	})
}

// endless is a body without an end. It counts the bytes that are read.
type endless struct{ read int64 }

func (e *endless) Read(p []byte) (int, error) {
	if e.read > 64<<20 {
		return 0, io.ErrUnexpectedEOF // otherwise a failing test would run out of memory
	}
	clear(p)
	e.read += int64(len(p))
	return len(p), nil
}

func (e *endless) Close() error { return nil }

func TestNoMoreIsReadThanAllowed(t *testing.T) {
	t.Parallel()
	body := &endless{}
	c, err := New(Config{BaseURL: "https://models.example/v1", MaxResponseBytes: 1 << 20, HTTP: &http.Client{Transport: transport(func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: body}, nil
	})}})
	if err != nil {
		t.Fatal(err)
	}
	for name, limit := range map[string]int64{"answer": 1 << 20, "list": wire.MaxListBytes} {
		body.read = 0
		if name == "list" {
			_, err = c.ListModels(t.Context())
		} else {
			_, err = c.Complete(t.Context(), llm.Request{Model: "m", Messages: []llm.Message{{Role: llm.User, Text: "x"}}})
		}
		e, ok := errors.AsType[*llm.Error](err)
		if !ok || e.Class != llm.ClassInvalidResponse || body.read > 2*limit {
			t.Errorf("%s: %v after %d bytes", name, err, body.read)
		}
	}
}

func TestListsOfManyServers(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		in   string
		want []llm.ModelInfo // nil for an unusable answer
	}{
		"OpenAI":       {`{"object":"list","data":[{"id":"gpt","object":"model","created":1,"owned_by":"o"}]}`, []llm.ModelInfo{{ID: "gpt", DisplayName: "gpt"}}},
		"names":        {`{"data":[{"id":"a","name":"A"},{"id":"b","name":"x","display_name":"B"}]}`, []llm.ModelInfo{{ID: "a", DisplayName: "A"}, {ID: "b", DisplayName: "B"}}},
		"bare list":    {`[{"id":"tiny:latest"}]`, []llm.ModelInfo{{ID: "tiny:latest", DisplayName: "tiny:latest"}}},
		"twice":        {`{"data":[{"id":"a"},{"id":"a"},{"id":""},{"name":"x"},{"id":null}]}`, []llm.ModelInfo{{ID: "a", DisplayName: "a"}}},
		"odd entries":  {`{"data":[null,"x",3,[],{"id":{}},{"id":null},{"id":"a"}]}`, []llm.ModelInfo{{ID: "a", DisplayName: "a"}}},
		"odd, bare":    {`[{"id":"a"},"x"]`, []llm.ModelInfo{{ID: "a", DisplayName: "a"}}},
		"hostile":      {`{"data":[{"id":"a\u0000b"},{"id":"c","name":"\u202ename"},{"id":"` + strings.Repeat("x", 257) + `"}]}`, []llm.ModelInfo{{ID: "c", DisplayName: "name"}}},
		"empty":        {`{"data":[]}`, []llm.ModelInfo{}},
		"empty list":   {`[]`, []llm.ModelInfo{}},
		"other object": {`{"models":[]}`, nil},
		"null":         {`null`, nil},
		"data null":    {`{"data":null}`, nil},
		"wrong kind":   {`{"data":"x"}`, nil},
		"not JSON":     {`<html>`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, c.in) }))
			defer server.Close()
			cl, err := New(Config{BaseURL: server.URL, HTTP: server.Client()})
			if err != nil {
				t.Fatal(err)
			}
			got, err := cl.ListModels(t.Context())
			e, _ := errors.AsType[*llm.Error](err)
			if c.want == nil && (e == nil || e.Class != llm.ClassInvalidResponse) || c.want != nil && (err != nil || !reflect.DeepEqual(got, c.want)) {
				t.Errorf("got %+v, %v", got, err)
			}
		})
	}
}

package model_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/assay-dev/assay/sim/model"
	"github.com/assay-dev/assay/sim/model/modelclient"
)

func TestFaultsThatAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		fault  model.Fault
		status int
		want   string
		header string // "name: value"
	}{
		"500":              {model.Fault{Action: model.Status}, 500, `"type": "server_error"`, ""},
		"503":              {model.Fault{Action: model.Status, Status: 503}, 503, "overloaded", ""},
		"own body":         {model.Fault{Action: model.Status, Status: 502, Body: "<html>", ContentType: "text/html"}, 502, "<html>", "Content-Type: text/html"},
		"429":              {model.Fault{Action: model.RateLimit}, 429, "rate_limit_exceeded", "Retry-After: "},
		"429 with seconds": {model.Fault{Action: model.RateLimit, RetrySeconds: 7}, 429, "rate_limit_exceeded", "Retry-After: 7"},
		"429 with ms":      {model.Fault{Action: model.RateLimit, RetrySeconds: 7, RetryForm: model.RetryInMillis}, 429, "rate_limit_exceeded", "Retry-After-Ms: 7000"},
		"quota":            {model.Fault{Action: model.Quota}, 429, "insufficient_quota", ""},
		"unauthorized":     {model.Fault{Action: model.Unauthorized}, 401, "invalid_api_key", ""},
		"context":          {model.Fault{Action: model.ContextLength}, 400, "context_length_exceeded", ""},
		"format":           {model.Fault{Action: model.RejectFormat}, 400, "'response_format' of type 'json_schema' is not supported", ""},
		"page":             {model.Fault{Action: model.NotAnAnswer}, 200, "<!doctype html>", "Content-Type: text/html; charset=utf-8"},
		"no choice":        {model.Fault{Action: model.NoChoice}, 200, `"choices": []`, ""},
		"invalid JSON":     {model.Fault{Action: model.InvalidJSON}, 200, "oops", ""},
		"bad schema":       {model.Fault{Action: model.BadSchema}, 200, `\"result\"`, ""},
		"latency":          {model.Fault{Action: model.Latency, DelayMS: 5}, 200, `{\"findings\":[]}`, ""},
		"effort unset":     {model.Fault{Action: model.RejectEffort}, 200, `{\"findings\":[]}`, ""},
		"other stage":      {model.Fault{Action: model.Status, Match: model.Match{Stage: "verify"}}, 200, `{\"findings\":[]}`, ""},
		"other path":       {model.Fault{Action: model.Status, On: model.OnModels}, 200, `{\"findings\":[]}`, ""},
		"refuse":           {model.Fault{Action: model.Refuse}, 0, "", ""},
		"broken body":      {model.Fault{Action: model.BrokenBody}, 200, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, model.Options{})
			if _, err := s.control.SetFault(t.Context(), c.fault); err != nil {
				t.Fatal(err)
			}
			status, header, raw := s.ask(t, chat("generate", "x"), "")
			if status != c.status || !strings.Contains(string(raw), c.want) {
				t.Errorf("status %d %s\nwant %d with %s", status, raw, c.status, c.want)
			}
			if name == "broken body" && raw != nil {
				t.Error("the body came whole")
			}
			if k, v, ok := strings.Cut(c.header, ": "); ok && header.Get(k) != v {
				t.Errorf("header %s is %q, want %q", k, header.Get(k), v)
			}
			if c.fault.On == "" && c.fault.Match.Stage == "" { // used up
				if status, _, raw = s.ask(t, chat("generate", "x"), ""); status != http.StatusOK || !strings.Contains(string(raw), `{\"findings\":[]}`) {
					t.Errorf("the fault hits twice: %d %s", status, raw)
				}
			}
		})
	}
}

func TestRetryAfterAsADate(t *testing.T) {
	t.Parallel()
	s := start(t, model.Options{})
	if _, err := s.control.SetFault(t.Context(), model.Fault{Action: model.RateLimit, RetrySeconds: 30, RetryForm: model.RetryAtDate}); err != nil {
		t.Fatal(err)
	}
	_, header, _ := s.ask(t, chat("generate", "x"), "")
	at, err1 := http.ParseTime(header.Get("Retry-After"))
	now, err2 := http.ParseTime(header.Get("Date"))
	if err1 != nil || err2 != nil || at.Sub(now).Seconds() != 30 {
		t.Errorf("Retry-After %q, Date %q", header.Get("Retry-After"), header.Get("Date"))
	}
}

func TestRejectedEffort(t *testing.T) {
	t.Parallel()
	s := start(t, model.Options{})
	if _, err := s.control.SetFault(t.Context(), model.Fault{Action: model.RejectEffort, Times: -1}); err != nil {
		t.Fatal(err)
	}
	body := chat("generate", "x")
	body["reasoning_effort"] = "minimal"
	for range 2 {
		status, _, raw := s.ask(t, body, "")
		for _, want := range []string{"Unsupported value: 'minimal' is not supported with the 'sim-strong' model", `"unsupported_value"`, `"reasoning_effort"`} {
			if status != 400 || !strings.Contains(string(raw), want) {
				t.Errorf("status %d %s\nwant %s", status, raw, want)
			}
		}
	}
}

func TestTruncatedAnswers(t *testing.T) {
	t.Parallel()
	s := start(t, model.Options{Rules: []model.Rule{
		{Match: model.Match{Nth: 1}, Reply: model.Reply{Text: `{"findings":[1,2]}`}, Fault: &model.Fault{Action: model.Truncated}},
	}})
	_, _, raw := s.ask(t, chat("generate", "x"), "")
	if text, finish := content(t, raw); text != `{"finding` || finish != "length" {
		t.Errorf("content %q, finish %q", text, finish)
	}
	_, _, raw = s.ask(t, chat("generate", "x"), "")
	if text, finish := content(t, raw); text != `{"findings":[]}` || finish != "stop" {
		t.Errorf("content %q, finish %q", text, finish)
	}
}

func TestHeldRequestsAreReleased(t *testing.T) {
	t.Parallel()
	for _, action := range []string{model.Hang, model.HangBody} {
		for _, decision := range []string{model.Answer, model.Reset} {
			t.Run(action+" "+decision, func(t *testing.T) {
				t.Parallel()
				s := start(t, model.Options{})
				f, err := s.control.SetFault(t.Context(), model.Fault{Action: action})
				if err != nil {
					t.Fatal(err)
				}
				got := make(chan []byte, 1)
				go func() {
					_, _, raw := s.ask(t, chat("generate", "x"), "")
					got <- raw
				}()
				state, err := s.control.AwaitFault(t.Context(), f.ID, 1, 1)
				if err != nil || state.Waiting != 1 {
					t.Fatalf("%+v, %v", state, err)
				}
				if err := s.control.ReleaseFault(t.Context(), f.ID, decision); err != nil {
					t.Fatal(err)
				}
				if raw := <-got; (raw != nil) != (decision == model.Answer) {
					t.Errorf("body %q", raw)
				}
				list, err := s.control.AwaitRequests(t.Context(), modelclient.Filter{Done: true, Stage: "generate", Path: "/chat/completions"}, 1)
				if err != nil || list[0].FaultID != f.ID {
					t.Errorf("%+v, %v", list, err)
				}
			})
		}
	}
}

func TestFaultsStartAtTheNth(t *testing.T) {
	t.Parallel()
	s := start(t, model.Options{})
	if _, err := s.control.SetFault(t.Context(), model.Fault{Action: model.Status, Nth: 2, Times: 2}); err != nil {
		t.Fatal(err)
	}
	for i, want := range []int{200, 500, 500, 200} {
		if status, _, _ := s.ask(t, chat("generate", "x"), ""); status != want {
			t.Errorf("request %d: status %d, want %d", i+1, status, want)
		}
	}
	if err := s.control.ReleaseFault(t.Context(), "none", ""); err == nil {
		t.Error("a fault that does not exist is released")
	}
	if _, err := s.control.SetFault(t.Context(), model.Fault{Action: model.Redirect}); err == nil {
		t.Error("a redirect without a location is taken")
	}
}

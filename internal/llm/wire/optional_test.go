package wire_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/wire"
)

// picky is a provider that refuses parts of requests, one at a time.
type picky struct {
	refuses map[string]string // part to message
	class   llm.Class
	calls   []string // parts of each call
}

func (p *picky) once(in llm.Request) (llm.Response, error) {
	var has []string
	if in.Schema != nil {
		has = append(has, wire.Format)
	}
	if in.Temperature != nil {
		has = append(has, wire.Temperature)
	}
	p.calls = append(p.calls, strings.Join(has, "+"))
	for _, part := range has {
		if message, ok := p.refuses[part]; ok {
			return llm.Response{}, &llm.Error{Class: p.class, Status: http.StatusBadRequest, ProviderMessage: message}
		}
	}
	if in.Schema == nil && !strings.HasSuffix(in.System, `Be brief.

Answer with one JSON object and nothing else, by this JSON Schema:
{"type":"object"}`) {
		return llm.Response{}, fmt.Errorf("system text: %q", in.System)
	}
	return llm.Response{Text: "ok"}, nil
}

func wished() llm.Request {
	t := 0.2
	return llm.Request{Model: "m", System: "Be brief.", Effort: llm.EffortLow, Temperature: &t, Schema: &llm.Schema{Name: "x", JSON: json.RawMessage(`{"type": "object"}`)}}
}

func TestWhatIsRefusedIsLeftOutAndRemembered(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		refuses      map[string]string
		first, later []string // calls
		left         []string
	}{
		"nothing":     {nil, []string{"response_format+temperature"}, []string{"response_format+temperature"}, nil},
		"temperature": {map[string]string{wire.Temperature: "Unsupported parameter: 'temperature' is not supported with this model."}, []string{"response_format+temperature", "response_format"}, []string{"response_format"}, []string{wire.Temperature}},
		"format, OpenAI": {map[string]string{wire.Format: "Invalid parameter: 'text.format' of type 'json_schema' is not supported with this model."},
			[]string{"response_format+temperature", "temperature"}, []string{"temperature"}, []string{wire.Format}},
		"format, Anthropic": {map[string]string{wire.Format: "'claude-3-haiku' does not support output format."}, []string{"response_format+temperature", "temperature"}, []string{"temperature"}, []string{wire.Format}},
		"format, Bedrock":   {map[string]string{wire.Format: "This model doesn't support the outputConfig.textFormat field."}, []string{"response_format+temperature", "temperature"}, []string{"temperature"}, []string{wire.Format}},
		"both": {map[string]string{wire.Format: "structured output is not supported", wire.Temperature: "temperature is deprecated for this model"},
			[]string{"response_format+temperature", "temperature", ""}, []string{""}, []string{wire.Temperature, wire.Format}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var o wire.Optional
			p := &picky{refuses: tc.refuses, class: llm.ClassFinal}
			for _, want := range [][]string{tc.first, tc.later} {
				p.calls = nil
				out, err := o.Complete(wished(), p.once)
				if err != nil || out.Text != "ok" || !slices.Equal(out.Unsupported, tc.left) || !slices.Equal(p.calls, want) {
					t.Errorf("%+v, %v after %q", out, err, p.calls)
				}
			}
			other := wished()
			other.Model = "n"
			p.calls = nil
			if _, err := o.Complete(other, p.once); err != nil || !slices.Equal(p.calls, tc.first) {
				t.Errorf("what one model refuses is not sent to another: %q, %v", p.calls, err)
			}
		})
	}
}

func TestWhatIsNoWishIsNotLeftOut(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		class   llm.Class
		message string
	}{
		"another member": {llm.ClassFinal, "messages: at least one message is required"},
		"an effort":      {llm.ClassEffort, "reasoning_effort: unsupported value 'low'"},
		"no key":         {llm.ClassCredential, "temperature"},
		"a bad moment":   {llm.ClassRetryable, "structured output"},
		"too long":       {llm.ClassContextLength, "response_format"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var o wire.Optional
			p := &picky{refuses: map[string]string{wire.Format: tc.message}, class: tc.class}
			_, err := o.Complete(wished(), p.once)
			if e, ok := errors.AsType[*llm.Error](err); !ok || e.Class != tc.class || len(p.calls) != 1 {
				t.Errorf("%v after %d calls", err, len(p.calls))
			}
		})
	}
}

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
	refuses map[string]string // messages by part
	class   llm.Class
	calls   []string // parts of each call
}

func (p *picky) once(in llm.Request, _ wire.Without) (llm.Response, error) {
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

// A schema that the model may not see stands in the text beside the format, once.
func TestAHiddenSchemaIsInTheText(t *testing.T) {
	t.Parallel()
	for _, hidden := range []bool{false, true} {
		o := wire.Optional{HiddenSchema: hidden}
		in := wished()
		for range 2 {
			if _, err := o.Complete(in, func(in llm.Request, _ wire.Without) (llm.Response, error) {
				if n := strings.Count(in.System, `{"type":"object"}`); in.Schema == nil || (n == 1) != hidden {
					return llm.Response{}, fmt.Errorf("%d schemas in the text %q", n, in.System)
				}
				return llm.Response{Text: "ok"}, nil
			}); err != nil {
				t.Errorf("hidden %v: %v", hidden, err)
			}
		}
	}
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
			[]string{"response_format+temperature", "temperature", ""}, []string{""}, []string{wire.Format, wire.Temperature}},
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
				t.Errorf("a part that one model refused is not sent to another: %q, %v", p.calls, err)
			}
		})
	}
}

func TestRequiredPartsAreNotLeftOut(t *testing.T) {
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

// stubborn is a provider that cannot produce the model's answer as JSON while a format is requested.
type stubborn struct {
	fails int // number of failing calls with a format; negative for all
	code  string
	calls []int // the format of each call
}

func (s *stubborn) once(in llm.Request, w wire.Without) (llm.Response, error) {
	s.calls = append(s.calls, w.Format)
	if s.fails != 0 && (in.Schema != nil || len(in.Tools) > 0) {
		s.fails--
		return llm.Response{}, &llm.Error{Class: llm.ClassFinal, Status: http.StatusBadRequest, Code: s.code, ProviderMessage: "Failed to generate JSON. See 'failed_generation'."}
	}
	return llm.Response{Text: "ok"}, nil
}

func TestAnAnswerThatIsNoJSONIsAskedForAgain(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		o     *wire.Optional
		fails int
		first []int
		later []int
		left  []string
	}{
		"once":                    {&wire.Optional{Object: true}, 1, []int{0, 0}, []int{0}, nil},
		"with a schema":           {&wire.Optional{Object: true}, 2, []int{0, 0, 1}, []int{1}, []string{wire.JSONSchema}},
		"always":                  {&wire.Optional{Object: true}, -1, []int{0, 0, 1, 2}, []int{2}, []string{wire.Format}},
		"always, with one form":   {&wire.Optional{}, -1, []int{0, 0, 1}, []int{1}, []string{wire.Format}},
		"once more, then no tool": {&wire.Optional{NoFormatWithTools: true}, 0, []int{0}, []int{0}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := &stubborn{fails: tc.fails, code: "json_validate_failed"}
			for _, want := range [][]int{tc.first, tc.later} {
				s.calls = nil
				out, err := tc.o.Complete(wished(), s.once)
				if err != nil || !slices.Equal(s.calls, want) || !slices.Equal(out.Unsupported, tc.left) {
					t.Errorf("%+v, %v after %v, want %v", out, err, s.calls, want)
				}
			}
		})
	}
	t.Run("calls of tools", func(t *testing.T) {
		t.Parallel()
		s := &stubborn{fails: -1, code: "tool_use_failed"}
		in := wished()
		in.Tools = []llm.Tool{{Name: "look"}}
		_, err := (&wire.Optional{Object: true, NoFormatWithTools: true}).Complete(in, s.once)
		if e, ok := errors.AsType[*llm.Error](err); !ok || e.Class != llm.ClassTools || len(s.calls) != 2 {
			t.Errorf("%v after %d calls", err, len(s.calls))
		}
	})
}

// A caller that remembers refused parts decides which parts are left out.
func TestWithoutIsTheCallersMemory(t *testing.T) {
	t.Parallel()
	o := &wire.Optional{Object: true, TwoLimits: true}
	s := &stubborn{fails: -1}
	for _, tc := range []struct {
		without []string
		calls   []int
	}{{[]string{}, []int{0, 0, 1, 2}}, {[]string{}, []int{0, 0, 1, 2}}, {[]string{wire.JSONSchema}, []int{1, 1, 2}}, {[]string{wire.Format, wire.Temperature}, []int{2}}} {
		s.calls = nil
		in := wished()
		in.Without = tc.without
		if out, err := o.Complete(in, s.once); err != nil || !slices.Equal(s.calls, tc.calls) || !slices.Contains(out.Unsupported, wire.Format) {
			t.Errorf("%q: %+v, %v after %v", tc.without, out, err, s.calls)
		}
	}
}

func TestRefusedFormats(t *testing.T) {
	t.Parallel()
	for message, formats := range map[string]int{
		"response_format is not supported": 3, "json_schema not supported": 3, "Unrecognized request argument supplied: response_format": 3, "JSON mode is not enabled for this model": 3,
		"This model does not support structured outputs": 3, "unknown field \"response_format\"": 3, "Failed to parse grammar": 3, "No endpoints found that support response_format": 3,
		"messages must not be empty": 1, "model 'x' does not exist": 1, "invalid schema for function 'look'": 1,
	} {
		calls := 0
		o := &wire.Optional{Object: true}
		_, err := o.Complete(wished(), func(in llm.Request, _ wire.Without) (llm.Response, error) {
			if calls++; in.Schema == nil {
				return llm.Response{}, nil
			}
			return llm.Response{}, &llm.Error{Class: llm.ClassFinal, Status: http.StatusBadRequest, ProviderMessage: message}
		})
		if calls != formats || (err == nil) != (formats == 3) {
			t.Errorf("%s: %d calls, %v", message, calls, err)
		}
	}
}

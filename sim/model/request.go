package model

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// request is a request for a chat completion, and what rules look at.
type request struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	} `json:"messages"`
	ResponseFormat *struct {
		Type       string `json:"type"`
		JSONSchema *struct {
			Name   string          `json:"name"`
			Schema json.RawMessage `json:"schema"`
			Strict bool            `json:"strict"`
		} `json:"json_schema"`
	} `json:"response_format"`
	Tools []struct {
		Type     string `json:"type"`
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tools"`
	MaxTokens           *int    `json:"max_tokens"`
	MaxCompletionTokens *int    `json:"max_completion_tokens"`
	ReasoningEffort     *string `json:"reasoning_effort"`
	Stream              bool    `json:"stream"`

	system, user, stage string
	schema              json.RawMessage
}

// arguments are the members of CreateChatCompletionRequest (OpenAI REST description).
var arguments = []string{"messages", "model", "service_tier", "modalities", "verbosity", "reasoning_effort", "max_completion_tokens",
	"frequency_penalty", "presence_penalty", "web_search_options", "top_logprobs", "response_format", "audio", "store", "moderation",
	"stream", "stop", "logit_bias", "logprobs", "max_tokens", "n", "prediction", "seed", "stream_options", "tools", "tool_choice",
	"parallel_tool_calls", "function_call", "functions", "metadata", "temperature", "top_p", "user", "safety_identifier",
	"prompt_cache_key", "prompt_cache_retention", "prompt_cache_options"}

var (
	efforts    = []string{"none", "minimal", "low", "medium", "high", "xhigh", "max"}
	roles      = []string{"system", "developer", "user", "assistant", "tool", "function"}
	schemaName = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)
	stageLine  = regexp.MustCompile(`(?m)^stage:[ \t]*(\S+)[ \t]*$`)
)

// parseRequest reads a request as strictly as OpenAI's own server does where that is known: unknown arguments, schemas
// outside the strict subset and wrong values are refused.
func parseRequest(body []byte) (*request, *apiError) {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return nil, invalid("", "We could not parse the JSON body of your request.")
	}
	for name := range members {
		if !slices.Contains(arguments, name) {
			return nil, &apiError{http.StatusBadRequest, "Unrecognized request argument supplied: " + name, "invalid_request_error", "", ""}
		}
	}
	q := &request{}
	if err := json.Unmarshal(body, q); err != nil {
		return nil, invalid("", "Invalid type for an argument: "+err.Error())
	}
	if q.Model == "" {
		return nil, invalid("model", "you must provide a model parameter")
	}
	if len(q.Messages) == 0 {
		return nil, invalid("messages", "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.")
	}
	if q.Stream {
		return nil, invalid("stream", "This simulator does not stream.")
	}
	for i, m := range q.Messages {
		text, ok := contentText(m.Content)
		switch {
		case !slices.Contains(roles, m.Role):
			return nil, invalid(fmt.Sprintf("messages[%d].role", i), "Invalid value: '"+m.Role+"'.")
		case !ok:
			return nil, invalid(fmt.Sprintf("messages[%d].content", i), "Invalid type for 'messages."+fmt.Sprint(i)+".content'.")
		case m.Role == "system" || m.Role == "developer":
			q.system += text + "\n"
		case m.Role == "user":
			q.user += text + "\n"
		}
	}
	if m := stageLine.FindStringSubmatch(q.system); m != nil {
		q.stage = m[1]
	}
	if e := q.ReasoningEffort; e != nil && !slices.Contains(efforts, *e) {
		return nil, &apiError{http.StatusBadRequest, "Invalid value: '" + *e + "'. Supported values are: 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', and 'max'.",
			"invalid_request_error", "reasoning_effort", "invalid_value"}
	}
	return q, q.checkFormat()
}

func (q *request) checkFormat() *apiError {
	f := q.ResponseFormat
	if f == nil {
		return nil
	}
	switch f.Type {
	case "text":
	case "json_object":
		if !strings.Contains(strings.ToLower(q.system+q.user), "json") {
			return invalid("messages", "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.")
		}
	case "json_schema":
		if f.JSONSchema == nil || !schemaName.MatchString(f.JSONSchema.Name) {
			return invalid("response_format.json_schema.name", "Invalid 'response_format.json_schema.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.")
		}
		q.schema = f.JSONSchema.Schema
		if f.JSONSchema.Strict {
			var schema any
			if json.Unmarshal(q.schema, &schema) != nil {
				return invalid("response_format.json_schema.schema", "Missing required parameter: 'response_format.json_schema.schema'.")
			}
			if why := strictProblem(schema, "()"); why != "" {
				return invalid("response_format", "Invalid schema for response_format '"+f.JSONSchema.Name+"': "+why)
			}
		}
	default:
		return invalid("response_format.type", "Invalid value: '"+f.Type+"'. Supported values are: 'json_object', 'json_schema', and 'text'.")
	}
	return nil
}

// contentText joins the text of a content: a string, null or parts.
func contentText(raw json.RawMessage) (string, bool) {
	var s *string
	if len(raw) == 0 {
		return "", true
	}
	if json.Unmarshal(raw, &s) == nil {
		if s == nil {
			return "", true
		}
		return *s, true
	}
	var parts []struct {
		Type string `json:"type"`
		Text string `json:"text"`
	}
	if json.Unmarshal(raw, &parts) != nil {
		return "", false
	}
	var b strings.Builder
	for _, p := range parts {
		b.WriteString(p.Text)
	}
	return b.String(), true
}

func (q *request) effort() string {
	if q.ReasoningEffort == nil {
		return ""
	}
	return *q.ReasoningEffort
}

// limit is the most tokens of output, 0 for none.
func (q *request) limit() int {
	for _, p := range []*int{q.MaxCompletionTokens, q.MaxTokens} {
		if p != nil && *p > 0 {
			return *p
		}
	}
	return 0
}

package model

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// chatDialect is Chat Completions of the OpenAI REST description; with mistral, that of Mistral
// (openapi.yaml).
type chatDialect struct {
	openAI
	mistral bool
}

// chatRequest is CreateChatCompletionRequest, reduced to the members that are read.
type chatRequest struct {
	Model    string `json:"model"`
	Messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
		Calls   []struct {
			ID    string `json:"id"`
			Extra struct {
				Google struct {
					Signature string `json:"thought_signature"`
				} `json:"google"`
			} `json:"extra_content"`
		} `json:"tool_calls"`
		CallID    string `json:"tool_call_id"`
		Reasoning string `json:"reasoning_content"`
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
	PromptCacheKey      string  `json:"prompt_cache_key"`
}

// arguments are the members of CreateChatCompletionRequest (OpenAI REST description).
var arguments = []string{"messages", "model", "service_tier", "modalities", "verbosity", "reasoning_effort", "max_completion_tokens",
	"frequency_penalty", "presence_penalty", "web_search_options", "top_logprobs", "response_format", "audio", "store", "moderation",
	"stream", "stop", "logit_bias", "logprobs", "max_tokens", "n", "prediction", "seed", "stream_options", "tools", "tool_choice",
	"parallel_tool_calls", "function_call", "functions", "metadata", "temperature", "top_p", "user", "safety_identifier",
	"prompt_cache_key", "prompt_cache_retention", "prompt_cache_options"}

// mistralArguments are the members of ChatCompletionRequest (Mistral's openapi-public-doc.yaml); all others
// are forbidden.
var mistralArguments = []string{"model", "temperature", "top_p", "max_tokens", "stream", "stop", "random_seed", "metadata",
	"messages", "response_format",
	"tools", "tool_choice", "presence_penalty", "frequency_penalty", "n", "prediction", "parallel_tool_calls", "reasoning_effort",
	"prompt_mode", "guardrails",
	"prompt_cache_key", "service_tier", "safe_prompt"}

// parse parses a call as strictly as OpenAI's own server, as far as that is known. It refuses unknown
// arguments, schemas outside the strict subset and wrong values.
func (d chatDialect) parse(_ *http.Request, body []byte) (*request, *apiError) {
	var members map[string]json.RawMessage
	if json.Unmarshal(body, &members) != nil {
		return nil, invalid("", "We could not parse the JSON body of your request.")
	}
	for name := range members {
		if d.mistral && !slices.Contains(mistralArguments, name) {
			return nil, forbidden(name)
		}
		if !d.mistral && !slices.Contains(arguments, name) {
			return nil, &apiError{http.StatusBadRequest, "Unrecognized request argument supplied: " + name, "invalid_request_error", "", ""}
		}
	}
	var in chatRequest
	if err := json.Unmarshal(body, &in); err != nil {
		return nil, invalid("", "Invalid type for an argument: "+err.Error())
	}
	switch {
	case in.Model == "":
		return nil, invalid("model", "you must provide a model parameter")
	case len(in.Messages) == 0:
		return nil, invalid("messages", "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty "+
			"array instead.")
	case in.Stream:
		return nil, invalid("stream", "This simulator does not stream.")
	}
	q := &request{Model: in.Model, tools: len(in.Tools), cacheKey: in.PromptCacheKey}
	for _, t := range in.Tools {
		q.offered = append(q.offered, t.Function.Name)
	}
	if e := in.conversation(q, d.mistral); e != nil {
		return q, e
	}
	for i, m := range in.Messages {
		text, ok := contentText(m.Content)
		if m.Role != "tool" {
			q.size += len(m.Content)
		}
		switch {
		case !slices.Contains(roles, m.Role):
			return nil, invalid(fmt.Sprintf("messages[%d].role", i), "Invalid value: '"+m.Role+"'.")
		case !ok:
			return nil, invalid(fmt.Sprintf("messages[%d].content", i), "Invalid type for 'messages."+fmt.Sprint(i)+".content'.")
		case m.Role == "system" || m.Role == "developer":
			q.addSystemText(text)
		case m.Role == "user":
			q.user += text + "\n"
		case m.Role == "tool":
			q.result(text)
		}
	}
	for _, p := range []*int{in.MaxCompletionTokens, in.MaxTokens} {
		if p != nil && *p > 0 {
			q.most = *p
			break
		}
	}
	if e := in.ReasoningEffort; e != nil {
		if d.mistral && !slices.Contains(efforts[:6], *e) {
			return nil, &apiError{http.StatusUnprocessableEntity, "Input should be " + quoted(efforts[:6]), "enum", "reasoning_effort", ""}
		}
		if !slices.Contains(efforts, *e) {
			return nil, &apiError{http.StatusBadRequest, "Invalid value: '" + *e +
				"'. Supported values are: 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', and 'max'.",
				"invalid_request_error", "reasoning_effort", "invalid_value"}
		}
		q.asked = *e
	}
	return q, in.checkFormat(q)
}

// conversation checks that each call has its result, and that it brings back what providers require: the
// signature of a thought (Gemini), and the reasoning (DeepSeek).
func (in *chatRequest) conversation(q *request, plain bool) *apiError {
	open := map[string]bool{}
	for i, m := range in.Messages {
		if m.Role == "tool" {
			if !open[m.CallID] {
				return invalid("messages", fmt.Sprintf("Invalid parameter: messages[%d] with role 'tool' must be a response to a preceding "+
					"message with 'tool_calls'.", i))
			}
			delete(open, m.CallID)
			continue
		}
		for id := range open {
			return invalid("messages", "An assistant message with 'tool_calls' must be followed by tool messages responding to each "+
				"'tool_call_id'. The following tool_call_ids did not have response messages: "+id)
		}
		for _, c := range m.Calls {
			if open[c.ID] = true; plain || !hasReasoning(c.ID) {
				continue
			}
			if c.Extra.Google.Signature != signature {
				return invalid("", fmt.Sprintf("Function call is missing a thought_signature in functionCall parts. Additional data, "+
					"function call, position %d.", i))
			}
			if m.Reasoning != thought {
				return invalid("", "The reasoning_content in the thinking mode must be passed back to the API.")
			}
		}
		if m.Role == "assistant" {
			q.turns++
		}
	}
	return nil
}

func (in *chatRequest) checkFormat(q *request) *apiError {
	f := in.ResponseFormat
	if f == nil {
		return nil
	}
	q.format = f.Type
	switch f.Type {
	case "text":
	case "json_object":
		if !strings.Contains(strings.ToLower(q.system+q.user), "json") {
			return invalid("messages", "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.")
		}
	case "json_schema":
		if f.JSONSchema == nil || !schemaName.MatchString(f.JSONSchema.Name) {
			return invalid("response_format.json_schema.name", "Invalid 'response_format.json_schema.name': string does not match "+
				"pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.")
		}
		q.name, q.schema = f.JSONSchema.Name, f.JSONSchema.Schema
		if f.JSONSchema.Strict {
			return checkStrict(q, "response_format", "response_format.json_schema.schema")
		}
	default:
		return invalid("response_format.type", "Invalid value: '"+f.Type+"'. Supported values are: 'json_object', 'json_schema', and 'text'.")
	}
	return nil
}

// checkStrict refuses a schema that strict structured outputs refuse.
func checkStrict(q *request, what, param string) *apiError {
	var schema any
	if json.Unmarshal(q.schema, &schema) != nil {
		return invalid(param, "Missing required parameter: '"+param+"'.")
	}
	if why := strictProblem(schema, "()"); why != "" {
		return invalid(what, "Invalid schema for "+what+" '"+q.name+"': "+why)
	}
	return nil
}

func (d chatDialect) trouble(kind string, q *request, supported []string) *apiError {
	switch {
	case kind == ContextLength:
		return &apiError{http.StatusBadRequest, "This model's maximum context length is 8192 tokens. However, your messages resulted " +
			"in more. Please reduce the length of the messages.",
			"invalid_request_error", "messages", "context_length_exceeded"}
	case kind == RejectEffort:
		return unsupportedEffort(q, supported, "reasoning_effort")
	case kind == RejectTools:
		return &apiError{http.StatusBadRequest, orElse(modelOf(q), "this model") + " does not support tools", "api_error", "", ""}
	case kind == RejectFormat:
		return invalid("response_format", "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.")
	case d.mistral && (kind == noKey || kind == Unauthorized):
		return &apiError{http.StatusUnauthorized, "Unauthorized", "authentication_error", "", ""}
	}
	return d.openAI.trouble(kind, q, supported)
}

func (d chatDialect) failed(e *apiError) *answer {
	if !d.mistral {
		return d.openAI.failed(e)
	}
	if e.status == http.StatusUnprocessableEntity { // HTTPValidationError
		return jsonAnswer(e.status, obj{"detail": []obj{{"type": e.kind, "loc": []string{"body", e.param}, "msg": e.message}}})
	}
	return jsonAnswer(e.status, obj{"object": "error", "message": e.message, "type": e.kind, "param": orNull(e.param), "code": orNull(e.code)})
}

// forbidden returns Mistral's refusal of an unknown member.
func forbidden(name string) *apiError {
	return &apiError{http.StatusUnprocessableEntity, "Extra inputs are not permitted", "extra_forbidden", name, ""}
}

// completed writes CreateChatCompletionResponse, or Mistral's ChatCompletionResponse. In the latter the
// arguments of a call are an object, reasoning makes the content a list, and reasoning tokens are not counted
// (mistralai/platform-docs-public).
func (d chatDialect) completed(q *request, c completion, now time.Time) *answer {
	switch {
	case c.failed != nil:
		return d.failed(d.status(http.StatusInternalServerError))
	case c.finish == finishContext && !d.mistral:
		return d.failed(d.trouble(ContextLength, q, nil))
	case c.finish == finishContext:
		c.finish = "model_length"
	}
	message := obj{"role": "assistant", "content": c.content, "refusal": c.refusal, "annotations": []any{}}
	if d.mistral {
		message = obj{"role": "assistant", "content": c.content}
		if c.content != nil && c.usage.Reasoning > 0 {
			message["content"] = []obj{{"type": "thinking", "thinking": []obj{{"type": "text", "text": thought}}},
				{"type": "text", "text": *c.content}}
		}
	}
	if len(c.toolCalls) > 0 {
		var calls []obj
		for i, t := range c.toolCalls {
			var arguments any = t.Arguments
			if d.mistral && isObject([]byte(t.Arguments)) {
				arguments = json.RawMessage(t.Arguments)
			}
			call := obj{"id": t.id("call", c, i), "type": "function", "function": obj{"name": t.Name, "arguments": arguments}}
			if hasReasoning(t.ID) && !d.mistral {
				call["extra_content"], message["reasoning_content"] = obj{"google": obj{"thought_signature": signature}}, thought
			}
			calls = append(calls, call)
		}
		message["tool_calls"] = calls
	}
	choices := []obj{{"index": 0, "message": message, "logprobs": nil, "finish_reason": c.finish}}
	if c.finish == finishNone {
		choices[0]["finish_reason"] = nil
	}
	if c.noChoice {
		choices = []obj{}
	}
	u := c.usage
	if d.mistral {
		return jsonAnswer(http.StatusOK, obj{"id": "cmpl-" + c.id, "object": "chat.completion", "created": now.Unix(), "model": c.model,
			"choices": choices,
			"usage": obj{"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output, "num_cached_tokens": u.Cached,
				"prompt_tokens_details": obj{"cached_tokens": u.Cached}}})
	}
	details := obj{"cached_tokens": u.Cached, "audio_tokens": 0}
	if u.Written > 0 {
		details["cache_write_tokens"] = u.Written
	}
	return jsonAnswer(http.StatusOK, obj{
		"id": "chatcmpl-" + c.id, "object": "chat.completion", "created": now.Unix(), "model": c.model, "choices": choices,
		"usage": obj{
			"prompt_tokens": u.Input, "completion_tokens": u.Output, "total_tokens": u.Input + u.Output, "prompt_tokens_details": details,
			"completion_tokens_details": obj{"reasoning_tokens": u.Reasoning, "audio_tokens": 0,
				"accepted_prediction_tokens": 0, "rejected_prediction_tokens": 0},
		},
		"service_tier": "default", "system_fingerprint": "fp_sim",
	})
}

// listed writes ListModelsResponse; Mistral's items also have names and capabilities.
func (d chatDialect) listed(r *http.Request, ids []string, page int, now time.Time) *answer {
	if !d.mistral {
		return d.openAI.listed(r, ids, page, now)
	}
	data := []obj{}
	for _, id := range ids {
		data = append(data, obj{"id": id, "object": "model", "created": now.Unix(), "owned_by": "mistralai", "name": "Model " + id,
			"description": "Simulated", "type": "base",
			"max_context_length": 131072, "aliases": []string{}, "capabilities": obj{"completion_chat": true, "function_calling": true,
				"reasoning": true, "vision": false}})
	}
	return jsonAnswer(http.StatusOK, obj{"object": "list", "data": data})
}

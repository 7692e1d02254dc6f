package model

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// responsesDialect is the Responses API of the OpenAI REST description.
type responsesDialect struct{ openAI }

// responsesRequest is CreateResponse. Members that are not read are declared so that they are accepted.
type responsesRequest struct {
	Model           string          `json:"model"`
	Input           json.RawMessage `json:"input"`
	Instructions    *string         `json:"instructions"`
	MaxOutputTokens *int            `json:"max_output_tokens"`
	PromptCacheKey  string          `json:"prompt_cache_key"`
	Store           *bool           `json:"store"`
	Stream          *bool           `json:"stream"`
	Include         []string        `json:"include"`
	Temperature     *float64        `json:"temperature"`
	Reasoning       *struct {
		Effort          *string `json:"effort"`
		Summary         any     `json:"summary"`
		GenerateSummary any     `json:"generate_summary"`
		Mode            any     `json:"mode"`
		Context         any     `json:"context"`
	} `json:"reasoning"`
	Text *struct {
		Verbosity any `json:"verbosity"`
		Format    *struct {
			Type        string          `json:"type"`
			Name        string          `json:"name"`
			Description string          `json:"description"`
			Schema      json.RawMessage `json:"schema"`
			Strict      *bool           `json:"strict"`
		} `json:"format"`
	} `json:"text"`
	Tools []struct {
		Type           string          `json:"type"`
		Name           string          `json:"name"`
		Description    *string         `json:"description"`
		Parameters     json.RawMessage `json:"parameters"`
		OutputSchema   any             `json:"output_schema"`
		Strict         *bool           `json:"strict"`
		DeferLoading   any             `json:"defer_loading"`
		AllowedCallers any             `json:"allowed_callers"`
	} `json:"tools"`
	responsesOther
}

// responsesOther holds the members of CreateResponse that have no effect here.
type responsesOther struct {
	Metadata             any `json:"metadata"`
	TopLogprobs          any `json:"top_logprobs"`
	TopP                 any `json:"top_p"`
	User                 any `json:"user"`
	SafetyIdentifier     any `json:"safety_identifier"`
	PromptCacheRetention any `json:"prompt_cache_retention"`
	PromptCacheOptions   any `json:"prompt_cache_options"`
	PreviousResponseID   any `json:"previous_response_id"`
	Background           any `json:"background"`
	MaxToolCalls         any `json:"max_tool_calls"`
	ToolChoice           any `json:"tool_choice"`
	Prompt               any `json:"prompt"`
	ServiceTier          any `json:"service_tier"`
	Truncation           any `json:"truncation"`
	ParallelToolCalls    any `json:"parallel_tool_calls"`
	Moderation           any `json:"moderation"`
	StreamOptions        any `json:"stream_options"`
	Conversation         any `json:"conversation"`
	ContextManagement    any `json:"context_management"`
}

// responsesItem is an item of the input: a message, a function call, or its output.
type responsesItem struct {
	Type      string          `json:"type"`
	ID        any             `json:"id"`
	Status    any             `json:"status"`
	Phase     any             `json:"phase"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	CallID    string          `json:"call_id"`
	Name      string          `json:"name"`
	Arguments *string         `json:"arguments"`
	Output    json.RawMessage `json:"output"`
	Summary   []any           `json:"summary"`
	Encrypted *string         `json:"encrypted_content"`
}

func (d responsesDialect) parse(_ *http.Request, body []byte) (*request, *apiError) {
	var in responsesRequest
	unknown, err := decodeStrictly(body, &in)
	switch {
	case unknown != "":
		return nil, &apiError{http.StatusBadRequest, "Unknown parameter: '" + unknown + "'.", "invalid_request_error", unknown,
			"unknown_parameter"}
	case err != nil:
		return nil, invalid("", "We could not parse the JSON body of your request: "+err.Error())
	case in.Model == "":
		return nil, &apiError{http.StatusBadRequest, "Missing required parameter: 'model'.", "invalid_request_error", "model",
			"missing_required_parameter"}
	case in.Stream != nil && *in.Stream:
		return nil, invalid("stream", "This simulator does not stream.")
	case in.Temperature != nil && (*in.Temperature < 0 || *in.Temperature > 2):
		return nil, invalid("temperature", "Invalid 'temperature': decimal out of range. Expected a value between 0 and 2.")
	}
	q := &request{Model: in.Model, tools: len(in.Tools), cacheKey: in.PromptCacheKey,
		encrypts: slices.Contains(in.Include, "reasoning.encrypted_content")}
	if in.Instructions != nil {
		q.addSystemText(*in.Instructions)
		q.size += len(*in.Instructions)
	}
	if m := in.MaxOutputTokens; m != nil {
		if q.most = *m; q.most < 16 {
			return q, &apiError{http.StatusBadRequest, fmt.Sprintf("Invalid 'max_output_tokens': integer below minimum value. Expected a "+
				"value >= 16, but got %d instead.", *m),
				"invalid_request_error", "max_output_tokens", "integer_below_min_value"}
		}
	}
	if in.Reasoning != nil && in.Reasoning.Effort != nil {
		if q.asked = *in.Reasoning.Effort; !slices.Contains(efforts, q.asked) {
			return q, &apiError{http.StatusBadRequest, "Invalid value: '" + q.asked +
				"'. Supported values are: 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', and 'max'.",
				"invalid_request_error", "reasoning.effort", "invalid_value"}
		}
	}
	if e := d.items(q, in.Input); e != nil {
		return q, e
	}
	for i, t := range in.Tools {
		if t.Type != "function" || !schemaName.MatchString(t.Name) || t.Strict == nil || !isObject(t.Parameters) {
			return q, invalid(fmt.Sprintf("tools[%d]", i), fmt.Sprintf("Missing or invalid parameter: 'tools[%d]' needs type, name, "+
				"parameters and strict.", i))
		}
		q.offered = append(q.offered, t.Name)
		var schema any
		if _ = json.Unmarshal(t.Parameters, &schema); *t.Strict {
			if why := strictProblem(schema, "()"); why != "" {
				return q, invalid(fmt.Sprintf("tools[%d].parameters", i), "Invalid schema for function '"+t.Name+"': "+why)
			}
		}
	}
	tools, _ := json.Marshal(in.Tools) // it was decoded from JSON
	q.echo = func(o obj) {
		if len(in.Tools) > 0 {
			var as []map[string]any
			_ = json.Unmarshal(tools, &as)
			for _, t := range as {
				for k, v := range t {
					if v == nil {
						delete(t, k)
					}
				}
			}
			o["tools"] = as
		}
		o["instructions"], o["temperature"] = in.Instructions, in.Temperature
	}
	return q, in.checkFormat(q)
}

func (in *responsesRequest) checkFormat(q *request) *apiError {
	if in.Text == nil || in.Text.Format == nil {
		return nil
	}
	f := in.Text.Format
	q.format = f.Type
	switch f.Type {
	case "text", "json_object":
	case "json_schema":
		if !schemaName.MatchString(f.Name) {
			return &apiError{http.StatusBadRequest, "Invalid 'text.format.name': string does not match pattern. Expected a string that " +
				"matches the pattern '^[a-zA-Z0-9_-]+$'.",
				"invalid_request_error", "text.format.name", "invalid_value"}
		}
		q.name, q.schema = f.Name, f.Schema
		if f.Strict != nil && *f.Strict {
			return checkStrict(q, "response_format", "text.format.schema")
		}
	default:
		return invalid("text.format.type", "Invalid value: '"+f.Type+"'. Supported values are: 'json_object', 'json_schema', and 'text'.")
	}
	return nil
}

// items parses the input: a text or a list of items. An output must follow its call.
func (responsesDialect) items(q *request, raw json.RawMessage) *apiError {
	var text string
	if json.Unmarshal(raw, &text) == nil && text != "" {
		q.user, q.size = text+"\n", q.size+len(text)
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		return &apiError{http.StatusBadRequest, "Missing required parameter: 'input'.", "invalid_request_error", "input",
			"missing_required_parameter"}
	}
	calls, thinking := map[string]bool{}, false
	for i, raw := range list {
		where := fmt.Sprintf("input[%d]", i)
		var it responsesItem
		if unknown, err := decodeStrictly(raw, &it); unknown != "" || err != nil {
			return &apiError{http.StatusBadRequest, "Unknown parameter: '" + where + "." + unknown + "'.", "invalid_request_error", where,
				"unknown_parameter"}
		}
		if it.Type != "function_call_output" {
			q.size += len(raw)
		}
		switch it.Type {
		case "", "message":
			text, ok := contentText(it.Content)
			if !ok || len(it.Content) == 0 || !slices.Contains([]string{"user", "assistant", "system", "developer"}, it.Role) {
				return invalid(where, "Invalid value for '"+where+"': a message needs a role and content.")
			}
			switch it.Role {
			case "user":
				q.user += text + "\n"
			case "system", "developer":
				q.addSystemText(text)
			}
		case "function_call":
			if it.CallID == "" || it.Name == "" || it.Arguments == nil {
				return invalid(where, "Missing required parameter in '"+where+"': call_id, name and arguments.")
			}
			if hasReasoning(it.CallID) && !thinking {
				return invalid("input", "Item '"+it.CallID+"' of type 'function_call' was provided without its required 'reasoning' item.")
			}
			if len(calls) == 0 {
				q.turns++
			}
			calls[it.CallID] = true
		case "reasoning":
			if thinking = true; it.Encrypted == nil || *it.Encrypted != signature || it.Summary == nil {
				return &apiError{http.StatusNotFound, fmt.Sprintf("Item with id '%v' not found. Items are not persisted when `store` is set "+
					"to false. Try again with `store` set to true, or remove this item from your input.", it.ID),
					"invalid_request_error", "input", ""}
			}
		case "function_call_output":
			if !calls[it.CallID] {
				return invalid("input", "No tool call found for function call output with call_id "+it.CallID+".")
			}
			text, ok := contentText(it.Output)
			if !ok || len(it.Output) == 0 {
				return invalid(where+".output", "Missing required parameter: '"+where+".output'.")
			}
			q.result(text)
			delete(calls, it.CallID)
		default:
			return invalid(where+".type", "Invalid value: '"+it.Type+"'.")
		}
	}
	for id := range calls {
		return invalid("input", "No tool output found for function call "+id+".")
	}
	return nil
}

func (d responsesDialect) trouble(kind string, q *request, supported []string) *apiError {
	switch kind {
	case ContextLength:
		return &apiError{http.StatusBadRequest, "Your input exceeds the context window of this model. Please adjust your input " +
			"and try again.", "invalid_request_error", "input", "context_length_exceeded"}
	case RejectEffort:
		return unsupportedEffort(q, supported, "reasoning.effort")
	case RejectTools:
		return invalid("tools", "Invalid parameter: tools are not supported with this model.")
	case RejectFormat:
		return invalid("text.format", "Invalid parameter: 'text.format' of type 'json_schema' is not supported with this model.")
	}
	return d.openAI.trouble(kind, q, supported)
}

// completed writes Response.
func (d responsesDialect) completed(q *request, c completion, now time.Time) *answer {
	if c.finish == finishContext {
		return d.failed(d.trouble(ContextLength, q, nil))
	}
	status, incomplete, output := "completed", any(nil), []obj{}
	if c.thinks() {
		item := obj{"type": "reasoning", "id": "rs_" + c.id, "summary": []any{}}
		if q != nil && q.encrypts {
			item["encrypted_content"] = signature
		}
		output = append(output, item)
	}
	content := obj{}
	if c.content != nil {
		content = obj{"type": "output_text", "text": *c.content, "annotations": []any{}, "logprobs": []any{}}
	} else if c.refusal != nil {
		content = obj{"type": "refusal", "refusal": *c.refusal}
	}
	switch c.finish {
	case "length":
		status, incomplete = "incomplete", obj{"reason": "max_output_tokens"}
	case "content_filter":
		status, incomplete = "incomplete", obj{"reason": "content_filter"}
	}
	if len(content) > 0 {
		output = append(output, obj{"type": "message", "id": "msg_" + c.id, "status": status, "role": "assistant", "content": []obj{content}})
	}
	for i, t := range c.toolCalls {
		output = append(output, obj{"type": "function_call", "id": fmt.Sprintf("fc_%s_%d", c.id, i+1), "call_id": t.id("call", c, i),
			"name": t.Name, "arguments": t.Arguments, "status": "completed"})
	}
	var fail any
	if c.failed != nil {
		status, output, fail = "failed", []obj{}, obj{"code": orElse(c.failed.code, "server_error"),
			"message": orElse(c.failed.message, "An error occurred while processing your request.")}
	}
	if c.noChoice {
		output = []obj{}
	}
	u := c.usage
	out := obj{"id": "resp_" + c.id, "object": "response", "created_at": now.Unix(), "status": status, "error": fail,
		"incomplete_details": incomplete, "instructions": nil,
		"model": c.model, "tools": []any{}, "output": output, "parallel_tool_calls": true, "metadata": obj{}, "tool_choice": "auto",
		"temperature": nil, "top_p": nil, "store": false,
		"usage": obj{"input_tokens": u.Input, "input_tokens_details": obj{"cached_tokens": u.Cached, "cache_write_tokens": u.Written},
			"output_tokens":         u.Output,
			"output_tokens_details": obj{"reasoning_tokens": u.Reasoning}, "total_tokens": u.Input + u.Output}}
	if q != nil && q.echo != nil {
		q.echo(out)
	}
	return jsonAnswer(http.StatusOK, out)
}

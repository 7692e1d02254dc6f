package model

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// anthropicDialect is the Messages API (anthropic-sdk-go v1.84.0, MessageNewParams and Message;
// platform.claude.com/docs/en/api/errors).
type anthropicDialect struct {
	efforts []string // as in [Options]; lists of models report them
}

// anthropicRequest is MessageNewParams. Members that are not read are declared so that they are accepted.
type anthropicRequest struct {
	Model        string             `json:"model"`
	MaxTokens    *int               `json:"max_tokens"`
	System       json.RawMessage    `json:"system"`
	Messages     []anthropicMessage `json:"messages"`
	Temperature  *float64           `json:"temperature"`
	Stream       bool               `json:"stream"`
	CacheControl *anthropicCache    `json:"cache_control"`
	Thinking     *struct {
		Type    string `json:"type"`
		Display any    `json:"display"`
	} `json:"thinking"`
	OutputConfig *struct {
		Effort *string `json:"effort"`
		Format *struct {
			Type   string          `json:"type"`
			Schema json.RawMessage `json:"schema"`
		} `json:"format"`
	} `json:"output_config"`
	Tools []struct {
		Name        string          `json:"name"`
		Description string          `json:"description"`
		InputSchema json.RawMessage `json:"input_schema"`
		Strict      bool            `json:"strict"`
		Cache       *anthropicCache `json:"cache_control"`
		Type        string          `json:"type"`
	} `json:"tools"`
	Container     any `json:"container"`
	InferenceGeo  any `json:"inference_geo"`
	Metadata      any `json:"metadata"`
	ServiceTier   any `json:"service_tier"`
	StopSequences any `json:"stop_sequences"`
	ToolChoice    any `json:"tool_choice"`
	TopK          any `json:"top_k"`
	TopP          any `json:"top_p"`
}

type anthropicMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
}

type anthropicCache struct {
	Type string `json:"type"`
	TTL  string `json:"ttl"`
}

// anthropicBlock is a block of content: a text, a tool call, or its result.
type anthropicBlock struct {
	Type      string          `json:"type"`
	Text      *string         `json:"text"`
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Input     json.RawMessage `json:"input"`
	ToolUseID string          `json:"tool_use_id"`
	Content   json.RawMessage `json:"content"`
	IsError   any             `json:"is_error"`
	Cache     *anthropicCache `json:"cache_control"`
	Citations any             `json:"citations"`
	Thinking  *string         `json:"thinking"`
	Signature string          `json:"signature"`
	Data      string          `json:"data"`
}

func (anthropicDialect) key(r *http.Request) (string, *apiError) {
	if r.Header.Get("Anthropic-Version") == "" {
		return r.Header.Get("X-Api-Key"), invalid("", "anthropic-version: header is required")
	}
	return r.Header.Get("X-Api-Key"), nil
}

func (anthropicDialect) requestID() string { return "Request-Id" }

func (d anthropicDialect) parse(_ *http.Request, body []byte) (*request, *apiError) {
	var in anthropicRequest
	unknown, err := decodeStrictly(body, &in)
	switch {
	case unknown != "":
		return nil, invalid("", unknown+": Extra inputs are not permitted")
	case err != nil:
		return nil, invalid("", "The request body is not valid JSON: "+err.Error())
	case in.Model == "":
		return nil, invalid("", "model: Field required")
	case in.MaxTokens == nil:
		return nil, invalid("", "max_tokens: Field required")
	case *in.MaxTokens < 1:
		return nil, invalid("", "max_tokens: must be greater than or equal to 1")
	case len(in.Messages) == 0:
		return nil, invalid("", "messages: at least one message is required")
	case in.Stream:
		return nil, invalid("", "stream: this simulator does not stream")
	case in.Temperature != nil && (*in.Temperature < 0 || *in.Temperature > 1):
		return nil, invalid("", "temperature: range: 0..1")
	}
	q := &request{Model: in.Model, most: *in.MaxTokens, tools: len(in.Tools), size: len(in.System)}
	if in.CacheControl != nil {
		q.cacheKey = marked
	}
	if e := in.effort(q); e != nil {
		return q, e
	}
	if e := in.talk(q); e != nil {
		return q, e
	}
	for i, t := range in.Tools {
		if !schemaName.MatchString(t.Name) || !isObject(t.InputSchema) {
			return q, invalid("", fmt.Sprintf("tools.%d: name and input_schema are required", i))
		}
		q.offered = append(q.offered, t.Name)
		if t.Cache != nil {
			q.cacheKey = marked
		}
	}
	if in.OutputConfig != nil && in.OutputConfig.Format != nil {
		f := in.OutputConfig.Format
		if q.format = f.Type; f.Type != "json_schema" {
			return q, invalid("", "output_config.format.type: Input should be 'json_schema'")
		}
		q.schema = f.Schema
		if why := looseProblem(f.Schema); why != "" {
			return q, invalid("", "output_config.format.schema: "+why)
		}
	}
	return q, nil
}

// effort reads the members that express an effort. The two highest need thinking
// (anthropics/claude-code#76689); a request with thinking must not set a temperature.
func (in *anthropicRequest) effort(q *request) *apiError {
	thinking := ""
	if in.Thinking != nil {
		if thinking = in.Thinking.Type; thinking != "adaptive" && thinking != "disabled" {
			return invalid("", "thinking.type: Input should be 'adaptive' or 'disabled'")
		}
	}
	if thinking == "disabled" {
		q.asked = "none"
	}
	if in.OutputConfig != nil && in.OutputConfig.Effort != nil {
		q.asked = *in.OutputConfig.Effort
		if !slices.Contains(efforts[2:], q.asked) {
			return invalid("", "output_config.effort: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'")
		}
		if thinking != "adaptive" && (q.asked == "xhigh" || q.asked == "max") {
			return invalid("", "output_config.effort '"+q.asked+"' is not supported when thinking is disabled")
		}
	}
	if thinking == "adaptive" && in.Temperature != nil && *in.Temperature != 1 {
		return invalid("", "`temperature` may only be set to 1 when thinking is enabled.")
	}
	return nil
}

// talk reads system text and messages. Tool results must be in the message after their calls, and no block may
// be empty.
func (in *anthropicRequest) talk(q *request) *apiError {
	system, e := anthropicBlocks(in.System, "system")
	if e != nil {
		return e
	}
	for _, b := range system {
		if b.Type != "text" {
			return invalid("", "system: only text blocks are allowed")
		}
		q.addSystemText(*b.Text)
		if b.Cache != nil {
			q.mark()
		}
	}
	open := map[string]bool{}
	for i, m := range in.Messages {
		where := fmt.Sprintf("messages.%d", i)
		q.size += len(m.Content)
		if m.Role != "user" && m.Role != "assistant" {
			return invalid("", where+".role: Input should be 'user' or 'assistant'")
		}
		blocks, e := anthropicBlocks(m.Content, where+".content")
		if e != nil {
			return e
		}
		if len(blocks) == 0 {
			return invalid("", where+": "+m.Role+" messages must have non-empty content")
		}
		calls, thinking := map[string]bool{}, false
		if m.Role == "assistant" {
			q.turns++
		}
		for _, b := range blocks {
			switch {
			case b.Type == "text" && m.Role == "user":
				q.user += *b.Text + "\n"
			case strings.HasSuffix(b.Type, "thinking") && m.Role == "assistant":
				thinking = true
			case b.Type == "tool_use" && m.Role == "assistant":
				if calls[b.ID] = true; hasReasoning(b.ID) && !thinking {
					return invalid("", where+".content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When "+
						"`thinking` is enabled, a final `assistant` message must start with a thinking block.")
				}
			case b.Type == "tool_result" && m.Role == "user":
				if !open[b.ToolUseID] {
					return invalid("", where+": unexpected `tool_use_id` found in `tool_result` blocks: "+b.ToolUseID+
						". Each `tool_result` block must have a corresponding `tool_use` block in the previous message.")
				}
				delete(open, b.ToolUseID)
				text, _ := contentText(b.Content) // already checked
				q.result(text)
			case b.Type != "text":
				return invalid("", where+": `"+b.Type+"` blocks are not allowed in "+m.Role+" messages")
			}
			if b.Cache != nil {
				q.mark()
			}
		}
		for id := range open {
			return invalid("", where+": `tool_use` ids were found without `tool_result` blocks immediately after: "+id+".")
		}
		open = calls
	}
	if len(in.Tools) == 0 && slices.ContainsFunc(in.Messages,
		func(m anthropicMessage) bool { return strings.Contains(string(m.Content), `"tool_use"`) }) {
		return invalid("", "Requests which include `tool_use` or `tool_result` blocks must define tools")
	}
	return nil
}

// anthropicBlocks parses a content: a text or a list of blocks.
func anthropicBlocks(raw json.RawMessage, where string) ([]anthropicBlock, *apiError) {
	var text string
	switch {
	case len(raw) == 0:
		return nil, nil
	case json.Unmarshal(raw, &text) == nil:
		return []anthropicBlock{{Type: "text", Text: &text}}, nil
	}
	var list []anthropicBlock
	if unknown, err := decodeStrictly(raw, &list); unknown != "" || err != nil {
		return nil, invalid("", where+": "+unknown+": Extra inputs are not permitted")
	}
	for i, b := range list {
		at := fmt.Sprintf("%s.%d", where, i)
		switch b.Type {
		case "text":
			switch {
			case b.Text == nil || *b.Text == "":
				return nil, invalid("", at+": text content blocks must be non-empty")
			case strings.TrimSpace(*b.Text) == "":
				return nil, invalid("", at+": text content blocks must contain non-whitespace text")
			}
		case "tool_use":
			if b.ID == "" || b.Name == "" || !isObject(b.Input) {
				return nil, invalid("", at+".tool_use.input: Input should be a valid dictionary")
			}
		case "thinking", "redacted_thinking":
			if (b.Type == "thinking") != (b.Thinking != nil && b.Signature == signature) || b.Thinking == nil && b.Data == "" {
				return nil, invalid("", at+": Invalid `signature` in `thinking` block")
			}
		case "tool_result":
			if _, ok := contentText(b.Content); !ok || b.ToolUseID == "" {
				return nil, invalid("", at+".tool_result: tool_use_id and content are required")
			}
		default:
			return nil, invalid("", at+": Input tag '"+b.Type+"' found using 'type' does not match any of the expected tags")
		}
		if b.Cache != nil && b.Cache.Type != "ephemeral" {
			return nil, invalid("", at+".cache_control.type: Input should be 'ephemeral'")
		}
	}
	return list, nil
}

// anthropicTypes maps statuses to types of errors (platform.claude.com/docs/en/api/errors).
var anthropicTypes = map[int]string{400: "invalid_request_error", 401: "authentication_error", 402: "billing_error",
	403: "permission_error", 404: "not_found_error",
	409: "conflict_error", 413: "request_too_large", 429: "rate_limit_error", 500: "api_error", 504: "timeout_error", 529: "overloaded_error"}

func (anthropicDialect) status(status int) *apiError {
	message := orElse(http.StatusText(status), "Overloaded")
	if status == http.StatusInternalServerError {
		message = "Internal server error"
	}
	kind := anthropicTypes[status]
	switch {
	case kind != "":
	case status >= 500:
		kind = "api_error"
	default:
		kind = "invalid_request_error"
	}
	return &apiError{status: status, message: message, kind: kind}
}

func (d anthropicDialect) trouble(kind string, q *request, supported []string) *apiError {
	e := func(status int, message string) *apiError {
		out := d.status(status)
		out.message = message
		return out
	}
	switch kind {
	case noKey:
		return e(http.StatusUnauthorized, "x-api-key header is required")
	case Unauthorized:
		return e(http.StatusUnauthorized, "invalid x-api-key")
	case unknownModel:
		return e(http.StatusNotFound, "model: "+q.Model)
	case unknownPath:
		return e(http.StatusNotFound, "Not found")
	case tooMuch:
		return e(http.StatusRequestEntityTooLarge, "Request exceeds the maximum size")
	case RateLimit:
		return e(http.StatusTooManyRequests, "This request would exceed your organization's rate limit of 50 requests per minute.")
	case Quota: // learn.microsoft.com, dev-proxy, anthropic-529
		out := e(http.StatusTooManyRequests, "Your organization has reached its enforced spend limit.")
		out.code = "enforced_spend_limit_reached"
		return out
	case Overloaded:
		return e(529, "Overloaded")
	case ContextLength:
		return e(http.StatusBadRequest, "prompt is too long: 209303 tokens > 200000 maximum")
	case RejectEffort:
		if len(supported) == 0 {
			return e(http.StatusBadRequest, "This model does not support the effort parameter.")
		}
		return e(http.StatusBadRequest, "This model does not support effort level '"+q.effort()+"'. Supported levels: "+
			strings.Join(supported, ", ")+".")
	case RejectTools:
		return e(http.StatusBadRequest, "'"+orElse(modelOf(q), "this model")+"' does not support tools.")
	case RejectFormat:
		return e(http.StatusBadRequest, "'"+orElse(modelOf(q), "this model")+"' does not support output format.")
	}
	return d.status(http.StatusInternalServerError)
}

func modelOf(q *request) string {
	if q == nil {
		return ""
	}
	return q.Model
}

func (anthropicDialect) failed(e *apiError) *answer {
	fail := obj{"type": e.kind, "message": e.message}
	if e.code != "" {
		fail["details"] = obj{"error_code": e.code}
	}
	return jsonAnswer(e.status, obj{"type": "error", "error": fail, "request_id": "req_sim"})
}

// completed writes Message.
func (d anthropicDialect) completed(_ *request, c completion, _ time.Time) *answer {
	if c.failed != nil {
		return d.failed(d.status(http.StatusInternalServerError))
	}
	content := []obj{}
	if c.thinks() {
		content = append(content, obj{"type": "thinking", "thinking": thought, "signature": signature})
	}
	switch {
	case c.content != nil && *c.content != "":
		content = append(content, obj{"type": "text", "text": *c.content})
	case c.refusal != nil:
		c.finish = "content_filter"
	}
	for i, t := range c.toolCalls {
		content = append(content, obj{"type": "tool_use", "id": t.id("toolu", c, i), "name": t.Name, "input": t.object()})
	}
	if c.noChoice {
		content = []obj{}
	}
	stop := map[string]string{"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use", "content_filter": "refusal",
		finishContext: "model_context_window_exceeded"}[c.finish]
	u := c.usage
	return jsonAnswer(http.StatusOK, obj{"id": "msg_" + c.id, "type": "message", "role": "assistant", "model": c.model, "content": content,
		"stop_reason": orElse(stop, c.finish), "stop_sequence": nil, "usage": obj{
			"input_tokens": max(u.Input-u.Cached-u.Written, 0), "cache_read_input_tokens": u.Cached, "cache_creation_input_tokens": u.Written,
			"cache_creation": obj{"ephemeral_5m_input_tokens": u.Written, "ephemeral_1h_input_tokens": 0},
			"output_tokens":  u.Output, "output_tokens_details": obj{"thinking_tokens": u.Reasoning}, "service_tier": "standard"}})
}

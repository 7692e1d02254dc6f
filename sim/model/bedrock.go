package model

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// bedrockDialect is Converse of the Bedrock Runtime and the lists of the control plane (aws-sdk-go-v2,
// service/bedrockruntime v1.63.10 and service/bedrock v1.63.0).
type bedrockDialect struct{}

// bedrockRequest is ConverseInput. Members that are not read are declared so that they are accepted.
type bedrockRequest struct {
	System          []bedrockBlock `json:"system"`
	Messages        []bedrockTurn  `json:"messages"`
	InferenceConfig *struct {
		MaxTokens     *int     `json:"maxTokens"`
		Temperature   *float64 `json:"temperature"`
		TopP          any      `json:"topP"`
		StopSequences any      `json:"stopSequences"`
	} `json:"inferenceConfig"`
	ToolConfig *struct {
		ToolChoice any `json:"toolChoice"`
		Tools      []struct {
			Spec *struct {
				Name        string `json:"name"`
				Description string `json:"description"`
				InputSchema struct {
					JSON json.RawMessage `json:"json"`
				} `json:"inputSchema"`
				Strict bool `json:"strict"`
			} `json:"toolSpec"`
			CachePoint *bedrockCache `json:"cachePoint"`
		} `json:"tools"`
	} `json:"toolConfig"`
	OutputConfig *struct {
		Effort     *string `json:"effort"`
		TextFormat *struct {
			Type      string `json:"type"`
			Structure struct {
				JSONSchema struct {
					Name        string `json:"name"`
					Description string `json:"description"`
					Schema      string `json:"schema"`
				} `json:"jsonSchema"`
			} `json:"structure"`
		} `json:"textFormat"`
	} `json:"outputConfig"`
	Additional struct {
		Thinking *struct {
			Type string `json:"type"`
		} `json:"thinking"`
	} `json:"additionalModelRequestFields"`
	AdditionalPaths   any `json:"additionalModelResponseFieldPaths"`
	GuardrailConfig   any `json:"guardrailConfig"`
	PerformanceConfig any `json:"performanceConfig"`
	PromptVariables   any `json:"promptVariables"`
	RequestMetadata   any `json:"requestMetadata"`
	ServiceTier       any `json:"serviceTier"`
}

type bedrockTurn struct {
	Role    string         `json:"role"`
	Content []bedrockBlock `json:"content"`
}

type bedrockCache struct {
	Type string `json:"type"`
	TTL  string `json:"ttl"`
}

// bedrockBlock is a union: exactly one member is set.
type bedrockBlock struct {
	Text    *string `json:"text"`
	ToolUse *struct {
		ID    string          `json:"toolUseId"`
		Name  string          `json:"name"`
		Input json.RawMessage `json:"input"`
	} `json:"toolUse"`
	ToolResult *struct {
		ID      string         `json:"toolUseId"`
		Content []bedrockBlock `json:"content"`
		Status  string         `json:"status"`
	} `json:"toolResult"`
	CachePoint *bedrockCache `json:"cachePoint"`
	Reasoning  *struct {
		Text *struct {
			Text      *string `json:"text"`
			Signature string  `json:"signature"`
		} `json:"reasoningText"`
		Redacted string `json:"redactedContent"`
	} `json:"reasoningContent"`
}

func (bedrockDialect) key(r *http.Request) (string, *apiError) { return bearer(r), nil }

func (bedrockDialect) requestID() string { return "X-Amzn-Requestid" }

func validation(message string) *apiError {
	return &apiError{status: http.StatusBadRequest, message: message, kind: "ValidationException"}
}

func (d bedrockDialect) parse(r *http.Request, body []byte) (*request, *apiError) {
	var in bedrockRequest
	unknown, err := decodeStrictly(body, &in)
	q := &request{Model: r.PathValue("id")}
	switch {
	case unknown != "":
		return q, validation("Malformed input request: #: extraneous key [" + unknown +
			"] is not permitted, please reformat your input and try again.")
	case err != nil:
		return q, &apiError{status: http.StatusBadRequest, message: "The request body is not valid JSON: " + err.Error(),
			kind: "SerializationException"}
	case len(in.Messages) == 0:
		return q, validation("A conversation must start with a user message. Try again with a conversation that starts with a user message.")
	}
	for i, b := range in.System {
		switch {
		case b.CachePoint != nil:
			q.mark()
		case b.Text == nil || strings.TrimSpace(*b.Text) == "":
			return q, validation(fmt.Sprintf("The text field in the SystemContentBlock object at system.%d is blank. Add text to the text "+
				"field, and try again.", i))
		default:
			q.addSystemText(*b.Text)
			q.size += len(*b.Text)
		}
	}
	if c := in.InferenceConfig; c != nil {
		if c.MaxTokens != nil {
			if q.most = *c.MaxTokens; q.most < 1 {
				return q, validation("Value '" + strconv.Itoa(q.most) + "' at 'inferenceConfig.maxTokens' failed to satisfy constraint: " +
					"Member must have value greater than or equal to 1")
			}
		}
		if t := c.Temperature; t != nil && (*t < 0 || *t > 1) {
			return q, validation("1 validation error detected: Value at 'inferenceConfig.temperature' failed to satisfy constraint: " +
				"Member must have value less than or equal to 1")
		}
	}
	if e := in.effort(q); e != nil {
		return q, e
	}
	if e := in.talk(q); e != nil {
		return q, e
	}
	return q, in.checkFormat(q)
}

// effort reads the members that express an effort; thinking is in the model's own fields.
func (in *bedrockRequest) effort(q *request) *apiError {
	thinking := ""
	if t := in.Additional.Thinking; t != nil {
		if thinking = t.Type; thinking == "disabled" {
			q.asked = "none"
		}
		if !strings.Contains(q.Model, "anthropic.") {
			return validation("Malformed input request: #: extraneous key [thinking] is not permitted, please reformat your input and try again.")
		}
	}
	if c := in.OutputConfig; c != nil && c.Effort != nil {
		q.asked = *c.Effort
		if !slices.Contains(efforts[2:], q.asked) {
			return validation("1 validation error detected: Value '" + q.asked +
				"' at 'outputConfig.effort' failed to satisfy constraint: Member must satisfy enum value set: [low, medium, high, xhigh, max]")
		}
		if (q.asked == "xhigh" || q.asked == "max") && thinking != "adaptive" {
			return validation("The model returned the following errors: output_config.effort '" + q.asked +
				"' is not supported when thinking is disabled")
		}
	}
	if c := in.InferenceConfig; thinking == "adaptive" && c != nil && c.Temperature != nil && *c.Temperature != 1 {
		return validation("The model returned the following errors: `temperature` may only be set to 1 when thinking is enabled.")
	}
	return nil
}

// talk reads the messages: turns alternate, texts are not blank, and tool results follow their calls.
func (in *bedrockRequest) talk(q *request) *apiError {
	open := map[string]bool{}
	used := false
	for i, m := range in.Messages {
		if want := []string{"user", "assistant"}[i%2]; m.Role != want {
			return validation("A conversation must alternate between user and assistant roles. Make sure the conversation alternates " +
				"between user and assistant roles and try again.")
		}
		if len(m.Content) == 0 {
			return validation(fmt.Sprintf("The content field in the Message object at messages.%d is empty. Add a ContentBlock object to "+
				"the content field and try again.", i))
		}
		calls, thinking := map[string]bool{}, false
		if m.Role == "assistant" {
			q.turns++
		}
		for j, b := range m.Content {
			at := fmt.Sprintf("messages.%d.content.%d", i, j)
			switch {
			case b.Text != nil:
				if strings.TrimSpace(*b.Text) == "" {
					return validation("The text field in the ContentBlock object at " + at + " is blank. Add text to the text field, and try again.")
				}
				q.size += len(*b.Text)
				if m.Role == "user" {
					q.user += *b.Text + "\n"
				}
			case b.ToolUse != nil:
				if b.ToolUse.ID == "" || b.ToolUse.Name == "" || !isObject(b.ToolUse.Input) {
					return validation("The format of the value at " + at + ".toolUse.input is invalid. Provide a json object for the field and try again.")
				}
				if calls[b.ToolUse.ID], used = true, true; hasReasoning(b.ToolUse.ID) && !thinking {
					return validation("The model returned the following errors: messages." + strconv.Itoa(i) +
						".content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.")
				}
			case b.Reasoning != nil:
				if thinking = true; b.Reasoning.Redacted == "" && (b.Reasoning.Text == nil || b.Reasoning.Text.Text == nil ||
					b.Reasoning.Text.Signature != signature) {
					return validation("The model returned the following errors: reasoning content format incorrect. Either 'text' or " +
						"'redactedContent' must be set.")
				}
			case b.ToolResult != nil:
				if !open[b.ToolResult.ID] {
					return validation("The number of toolResult blocks at " + at + " exceeds the number of toolUse blocks of previous turn.")
				}
				for _, c := range b.ToolResult.Content {
					if c.Text == nil || strings.TrimSpace(*c.Text) == "" {
						return validation("The text field in the ToolResultContentBlock object at " + at +
							" is blank. Add text to the text field, and try again.")
					}
					q.result(*c.Text)
				}
				delete(open, b.ToolResult.ID)
			case b.CachePoint != nil:
				q.mark()
			default:
				return validation("The ContentBlock object at " + at + " must set one of the following keys: text, toolUse, toolResult, cachePoint.")
			}
		}
		for id := range open {
			return validation("Expected toolResult blocks at " + fmt.Sprintf("messages.%d.content", i) + " for the following Ids: " + id)
		}
		open = calls
	}
	if used && in.ToolConfig == nil {
		return validation("The toolConfig field must be defined when using toolUse and toolResult content blocks.")
	}
	return nil
}

func (in *bedrockRequest) checkFormat(q *request) *apiError {
	if in.ToolConfig != nil {
		for i, t := range in.ToolConfig.Tools {
			if t.CachePoint == nil && (t.Spec == nil || !schemaName.MatchString(t.Spec.Name) || !isObject(t.Spec.InputSchema.JSON)) {
				return validation(fmt.Sprintf("The value at toolConfig.tools.%d.toolSpec.inputSchema.json.type must be one of the "+
					"following: object.", i))
			}
			if q.tools++; t.Spec != nil {
				q.offered = append(q.offered, t.Spec.Name)
			}
		}
	}
	if in.OutputConfig == nil || in.OutputConfig.TextFormat == nil {
		return nil
	}
	f := in.OutputConfig.TextFormat
	if q.format = f.Type; f.Type != "json_schema" {
		return validation("Value '" + f.Type + "' at 'outputConfig.textFormat.type' failed to satisfy constraint: Member must satisfy " +
			"enum value set: [json_schema]")
	}
	q.name, q.schema = f.Structure.JSONSchema.Name, json.RawMessage(f.Structure.JSONSchema.Schema)
	if why := looseProblem(q.schema); why != "" {
		return validation("The model returned the following errors: output_config.format.schema: " + why)
	}
	return nil
}

// exceptions maps statuses to exceptions of Converse (aws-sdk-go-v2, service/bedrockruntime/types).
var exceptions = map[int]string{400: "ValidationException", 403: "AccessDeniedException", 404: "ResourceNotFoundException",
	408: "ModelTimeoutException",
	424: "ModelErrorException", 429: "ThrottlingException", 500: "InternalServerException", 503: "ServiceUnavailableException"}

func (bedrockDialect) status(status int) *apiError {
	message := http.StatusText(status)
	switch status {
	case http.StatusInternalServerError:
		message = "The system encountered an unexpected error during processing. Try your request again."
	case http.StatusServiceUnavailable:
		message = "Bedrock is unable to process your request."
	case http.StatusFailedDependency:
		message = "The model failed to process the request."
	}
	kind := exceptions[status]
	if kind == "" {
		kind = "ServiceException"
	}
	return &apiError{status: status, message: message, kind: kind}
}

func (d bedrockDialect) trouble(kind string, q *request, supported []string) *apiError {
	e := func(status int, message string) *apiError {
		out := d.status(status)
		out.message = message
		return out
	}
	switch kind {
	case noKey:
		return e(http.StatusForbidden, "Authentication failed: Please make sure your API Key is valid.")
	case Unauthorized:
		return e(http.StatusForbidden, "Authentication failed: Please make sure your API Key is valid.")
	case unknownModel:
		return e(http.StatusBadRequest, "The provided model identifier is invalid.")
	case unknownPath:
		return e(http.StatusNotFound, "Not found")
	case tooMuch:
		return e(http.StatusRequestEntityTooLarge, "The request is too large.")
	case RateLimit:
		return e(http.StatusTooManyRequests, "Too many requests, please wait before trying again.")
	case Quota:
		return &apiError{status: http.StatusBadRequest, message: "Your request exceeds the service quota for your account.",
			kind: "ServiceQuotaExceededException"}
	case Overloaded:
		return d.status(http.StatusServiceUnavailable)
	case ContextLength:
		return validation("Input is too long for requested model.")
	case RejectEffort:
		if len(supported) == 0 {
			return validation("The model returned the following errors: This model does not support the effort parameter.")
		}
		return validation("The model returned the following errors: This model does not support effort level '" + q.effort() +
			"'. Supported levels: " + strings.Join(supported, ", ") + ".")
	case RejectTools:
		return validation("This model doesn't support tool use.")
	case RejectFormat:
		return validation("This model doesn't support the outputConfig.textFormat field. Remove outputConfig.textFormat and try again.")
	}
	return d.status(http.StatusInternalServerError)
}

func (bedrockDialect) failed(e *apiError) *answer {
	return jsonAnswer(e.status, obj{"__type": orElse(e.code, e.kind), "message": e.message})
}

// completed writes ConverseOutput. inputTokens excludes cached tokens (Amazon Bedrock user guide, "Prompt
// caching").
func (d bedrockDialect) completed(_ *request, c completion, _ time.Time) *answer {
	if c.failed != nil {
		return d.failed(d.status(http.StatusInternalServerError))
	}
	content := []obj{}
	if c.thinks() {
		content = append(content, obj{"reasoningContent": obj{"reasoningText": obj{"text": thought, "signature": signature}}})
	}
	switch {
	case c.content != nil && *c.content != "":
		content = append(content, obj{"text": *c.content})
	case c.refusal != nil:
		content = append(content, obj{"text": *c.refusal})
		c.finish = "content_filter"
	}
	for i, t := range c.toolCalls {
		content = append(content, obj{"toolUse": obj{"toolUseId": t.id("tooluse", c, i), "name": t.Name, "input": t.object()}})
	}
	if c.noChoice {
		content = []obj{}
	}
	stop := map[string]string{"stop": "end_turn", "length": "max_tokens", "tool_calls": "tool_use",
		"content_filter": "content_filtered", finishContext: "model_context_window_exceeded"}[c.finish]
	u := c.usage
	usage := obj{"inputTokens": max(u.Input-u.Cached-u.Written, 0), "outputTokens": u.Output, "totalTokens": u.Input + u.Output,
		"cacheReadInputTokens": u.Cached, "cacheWriteInputTokens": u.Written}
	if u.Written > 0 {
		usage["cacheDetails"] = []obj{{"inputTokens": u.Written, "ttl": "5m"}}
	}
	return jsonAnswer(http.StatusOK, obj{"output": obj{"message": obj{"role": "assistant", "content": content}},
		"stopReason": orElse(stop, c.finish), "usage": usage, "metrics": obj{"latencyMs": 1}})
}

package mcpserver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/store"
)

// tool is one tool of the table.
type tool struct {
	name   string
	scope  string        // that a token needs for it
	within time.Duration // bound of one call
	add    func(*mcp.Server, *visit)
}

// toolInfo describes a tool to assistants and people.
type toolInfo struct {
	Name, Title, Description string
	Scope                    string                   // that a token needs for it; writeScope: it changes something
	Destroys, Again          bool                     // it removes something; repeating has no further effect
	Costs                    bool                     // repeating costs again
	Within                   time.Duration            // 0: readTime
	Input                    func(*jsonschema.Schema) // adds bounds to what the type says; may be nil
}

// newTool makes a tool. run returns a value, and a short text with the same content for clients that only read
// text.
func newTool[I, O any](a toolInfo, run func(context.Context, *visit, I) (O, string, error)) tool {
	input, err := jsonschema.For[I](nil)
	if err != nil {
		panic("the input of the tool " + a.Name + ": " + err.Error()) // a defect of the type, found by every test
	}
	if a.Input != nil {
		a.Input(input)
	}
	closed := false
	hints := &mcp.ToolAnnotations{Title: a.Title, ReadOnlyHint: a.Scope != writeScope, DestructiveHint: &a.Destroys, IdempotentHint: a.Again ||
		a.Scope != writeScope && !a.Costs, OpenWorldHint: &closed}
	t := tool{name: a.Name, scope: a.Scope, within: cmp.Or(a.Within, readTime)}
	t.add = func(s *mcp.Server, v *visit) {
		mcp.AddTool(s, &mcp.Tool{Name: a.Name, Title: a.Title, Description: a.Description, InputSchema: input, Annotations: hints},
			func(ctx context.Context, req *mcp.CallToolRequest, in I) (*mcp.CallToolResult, O, error) {
				out, text, err := run(context.WithValue(ctx, requestKey{}, req), v, in)
				if err != nil {
					var none O
					return nil, none, v.explainError(ctx, err)
				}
				return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}, out, nil
			})
	}
	return t
}

// requestKey is the context key of a tool call's request.
type requestKey struct{}

// callRecord is the record of one call.
type callRecord struct {
	id         string
	repository string // the repository in question, once known
	outcome    string // the kind of its refusal, once it is refused
}

type callRecordKey struct{}

func callRecordIn(ctx context.Context) *callRecord {
	if a, ok := ctx.Value(callRecordKey{}).(*callRecord); ok {
		return a
	}
	return &callRecord{}
}

// refused is an error with text for an assistant.
type refused string

// Error returns the sentences.
func (r refused) Error() string { return string(r) }

// explainError returns the error for the assistant: its cause and how to mend it. Internal errors are logged and not
// described.
func (v *visit) explainError(ctx context.Context, err error) error {
	kind := errs.KindOf(err)
	a := callRecordIn(ctx)
	a.outcome = kind.String()
	e, known := errors.AsType[*errs.Error](err)
	switch {
	case errors.Is(ctx.Err(), context.Canceled) || errors.Is(err, context.Canceled): // any failure after the cancellation
		a.outcome = "cancelled"
		return refused("The call was cancelled.")
	case errors.Is(err, context.DeadlineExceeded):
		a.outcome = "timeout"
		return refused("The call took longer than it may. Ask for less: a smaller page, a narrower path, a smaller diff.")
	case !known || kind == errs.Internal:
		v.Logger.ErrorContext(ctx, "a call of an assistant failed", "call", a.id, "error", err)
		return refused("The service could not do this. The failure was logged as " + a.id + "; the operator of the service finds it there.")
	}
	out := []string{e.Message}
	for _, f := range e.Fields {
		out = append(out, strings.TrimPrefix(f.Pointer, "/")+" "+f.Message+".")
	}
	switch kind {
	case errs.NotFound:
		out = append(out, "The repository may be unknown, not visible to the owner of the token, or without what was asked for. "+
			"list_repositories names what can be seen.")
	case errs.Unavailable, errs.RateLimited:
		when := "a while"
		if e.RetryAfter > 0 {
			when = pluralize(int(math.Ceil(e.RetryAfter.Seconds())), "second", "seconds")
		}
		out = append(out, "Try again in "+when+".")
	}
	return refused(strings.Join(out, " "))
}

// recordCalls is the middleware around every call. It bounds the call in time, ends it with its request, and
// records it.
func (v *visit) recordCalls() mcp.Middleware {
	return func(next mcp.MethodHandler) mcp.MethodHandler {
		return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
			ctx, cancel := context.WithCancelCause(ctx)
			defer cancel(nil)
			kind, name, size := describeRequest(req)
			under := v.of(kind, req)
			defer context.AfterFunc(under, func() { cancel(context.Cause(under)) })()
			if method == "subscriptions/listen" { // lists here never change by themselves, and the stream would never end
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "There is nothing to subscribe to."}
			}
			if kind == "" {
				return next(ctx, method, req)
			}
			t, there := v.tool(name)
			label := name
			if kind == store.AssistantTool && !there {
				label = "other"
			}
			within := cmp.Or(t.within, readTime)
			ctx, stop := context.WithTimeout(ctx, within)
			defer stop()
			row, err := v.Store.BeginAssistantCall(ctx, v.Tenant, store.AssistantCall{Token: v.Token, Kind: kind, Name: label,
				RequestBytes: int64(size)})
			if err != nil {
				v.Logger.ErrorContext(ctx, "a call of an assistant could not be recorded, and was refused", "error", err)
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "The call could not be recorded, so it was not made. " +
					"Try again later."}
			}
			a := &callRecord{id: row.ID}
			ctx = context.WithValue(ctx, callRecordKey{}, a)
			began := time.Now()
			var result mcp.Result
			if lack := v.lacks(t); there && lack != "" {
				a.outcome = errs.Forbidden.String()
				answer := &mcp.CallToolResult{}
				answer.SetError(refused(lack))
				result = answer
			} else {
				result, err = next(ctx, method, req)
			}
			v.recordEnd(ctx, kind, label, a, result, err, time.Since(began))
			return result, err
		}
	}
}

// recordEnd records the outcome of a call.
func (v *visit) recordEnd(ctx context.Context, kind, name string, a *callRecord, result mcp.Result, err error, took time.Duration) {
	outcome := cmp.Or(a.outcome, "ok")
	if r, is := result.(*mcp.CallToolResult); err != nil || is && r != nil && r.IsError {
		outcome = cmp.Or(a.outcome, errs.Invalid.String())
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	if _, err := v.Store.EndAssistantCall(ctx, v.Tenant, a.id, a.repository, outcome, int64(sizeOf(result))); err != nil {
		v.Logger.WarnContext(ctx, "how a call of an assistant ended could not be recorded; it stays marked as started", "call", a.id,
			"error", err)
	}
	if v.Observer != nil {
		v.Observer.AssistantCalled(kind, name, outcome, took)
	}
}

// tool returns a tool of the table, also one that is not offered.
func (v *visit) tool(name string) (tool, bool) {
	for _, t := range v.Service.tools {
		if t.name == name {
			return t, true
		}
	}
	return tool{}, false
}

// describeRequest returns kind and name of a request and its size in bytes. kind is "" for requests that are not
// recorded, such as lists.
func describeRequest(req mcp.Request) (kind, name string, size int) {
	switch p := req.GetParams().(type) {
	case *mcp.CallToolParamsRaw:
		return store.AssistantTool, p.Name, len(p.Arguments)
	case *mcp.ReadResourceParams:
		return store.AssistantResource, resourceKind(p.URI), len(p.URI)
	case *mcp.GetPromptParams:
		for k, v := range p.Arguments {
			size += len(k) + len(v)
		}
		if !promptKnown(p.Name) {
			return store.AssistantPrompt, "other", size
		}
		return store.AssistantPrompt, p.Name, size
	}
	return "", "", 0
}

// sizeOf returns the bytes of a result's content.
func sizeOf(r mcp.Result) (n int) {
	switch r := r.(type) {
	case *mcp.CallToolResult:
		if r == nil {
			return 0
		}
		for _, c := range r.Content {
			if t, is := c.(*mcp.TextContent); is {
				n += len(t.Text)
			}
		}
		if raw, is := r.StructuredContent.(json.RawMessage); is {
			n += len(raw)
		}
	case *mcp.ReadResourceResult:
		if r == nil {
			return 0
		}
		for _, c := range r.Contents {
			n += len(c.Text)
		}
	}
	return n
}

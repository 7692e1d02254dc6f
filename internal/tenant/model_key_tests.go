package tenant

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/llm/catalog"
	"github.com/assay-dev/assay/internal/llm/wire"
	"github.com/assay-dev/assay/internal/store"
)

// testTime bounds a test, and testTokens each of its answers, including reasoning (design choices: a person
// waits and pays).
const (
	testTime   = 20 * time.Second
	testTokens = 1024
)

// ConnectionTestRequest selects the tested parts of a model key.
type ConnectionTestRequest struct {
	Model           string `json:"model" minLength:"1" maxLength:"200" doc:"What a tier would call the model" example:"gpt-5.4"`
	Purpose         string `json:"purpose" enum:"text,embeddings" doc:"text: test for reviews. embeddings: test for the tier embeddings" example:"text"`
	ReasoningEffort string `json:"reasoningEffort,omitempty" enum:"default,none,minimal,low,medium,high,xhigh,max" doc:"text: the effort of the tier; absent is default"`
	VectorSize      int    `json:"vectorSize,omitempty" enum:"384,768,1024,1536,3072" doc:"embeddings: the length that vectors must have"`
}

// LlmCheck is the result of one check.
type LlmCheck struct {
	Name    string `json:"name" enum:"key,model,structuredOutput,tools,reasoningEffort,embeddings"`
	OK      bool   `json:"ok"`
	Message string `json:"message" doc:"What was seen, or what failed, in the provider's words where there are any"`
}

// LlmChecks is the outcome of a test. It omits checks that an earlier failure makes pointless.
type LlmChecks struct {
	Checks []LlmCheck `json:"checks"`
}

func (c *LlmChecks) add(name string, err error, good string) bool {
	if err != nil {
		good = wordsOf(err)
	}
	c.Checks = append(c.Checks, LlmCheck{name, err == nil, good})
	return err == nil
}

// failed is a failed check without an error of the call.
type failed string

func (f failed) Error() string { return string(f) }

// wordsOf describes a failure. Provider messages have passed [llm.SafeMessage].
func wordsOf(err error) string {
	if e, ok := errors.AsType[*llm.Error](err); ok && e.ProviderMessage != "" {
		if e.Status != 0 {
			return fmt.Sprintf("%s (status %d)", e.ProviderMessage, e.Status)
		}
		return e.ProviderMessage
	}
	if f, ok := errors.AsType[failed](err); ok {
		return string(f)
	}
	if e, ok := errors.AsType[*errs.Error](err); ok {
		return e.Message
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return "There was no answer within 20 seconds."
	}
	return "The call failed."
}

// TestCredential tests a model with a key, check by check. Its calls belong to no review: they are on the
// provider's bill, but not in sums or budgets here. Errors: NotFound, Invalid.
func (s *Service) TestCredential(ctx context.Context, t domain.Tenant, id string, in ConnectionTestRequest) (LlmChecks, error) {
	var c field.Check
	c.Name("/model", in.Model)
	embeddings := in.Purpose == "embeddings"
	c.That(embeddings == (in.VectorSize != 0), "/vectorSize", "must be set for embeddings, and be absent for text")
	c.That(!embeddings || in.ReasoningEffort == "", "/reasoningEffort", "must be absent for embeddings")
	if err := c.Err(); err != nil {
		return LlmChecks{}, err
	}
	row, err := s.Store.Credential(ctx, t, id)
	if err != nil {
		return LlmChecks{}, err
	}
	if err := s.Store.ForgetRefusals(ctx, t, id); err != nil { // later reviews send the tested parts again
		return LlmChecks{}, err
	}
	out := LlmChecks{Checks: []LlmCheck{}}
	s.runChecks(ctx, &out, t, row, in)
	if ctx.Err() != nil { // the requester has gone
		return out, llm.Ended(ctx)
	}
	act := audit.Act{Tenant: t, Action: "llm-credential.test", Target: credentialOf(row).target()}
	for _, check := range out.Checks {
		if !check.OK {
			act.Result, act.Note = audit.Failed, "The first check that failed is "+check.Name+"."
			break
		}
	}
	return out, s.Audit.Record(ctx, act)
}

func (s *Service) runChecks(ctx context.Context, out *LlmChecks, t domain.Tenant, row store.Credential, in ConnectionTestRequest) {
	client, err := s.Opener.Codec(ctx, t, row)
	if err != nil {
		out.add("key", err, "")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, testTime)
	defer cancel()
	if in.Purpose == "embeddings" {
		tryVectors(ctx, out, client, row, in)
		return
	}
	ask := llm.Request{Model: in.Model, MaxOutputTokens: testTokens,
		Messages: []llm.Message{{Role: llm.User, Text: "Answer with the single word ok."}}}
	answer, err := client.Complete(ctx, ask)
	if !checkReachable(ctx, out, client, row, err) {
		return
	}
	if !out.add("model", err, "The model answers"+answeredAs(answer.Model, in.Model)+".") {
		return
	}
	effort := llm.Effort(strings.TrimPrefix(in.ReasoningEffort, catalog.EffortDefault))
	if effort != llm.EffortDefault {
		ask.Effort = effort
		why := catalogKey(row).RefusesEffort(in.Model, effort, s.cachedEfforts(ctx, t, row, in.Model))
		if why != "" {
			err = failed("The effort " + why + ".")
		} else {
			_, err = client.Complete(ctx, ask)
		}
		if !out.add("reasoningEffort", err, "The provider accepts the effort.") {
			ask.Effort = llm.EffortDefault // the other checks run without it
		}
	}
	var structured, tools error
	var both sync.WaitGroup
	both.Go(func() { structured = tryStructured(ctx, client, ask) })
	both.Go(func() { tools = tryTools(ctx, client, ask) })
	both.Wait()
	out.add("structuredOutput", structured, "The answer is as its schema asks.")
	out.add("tools", tools, "The model calls a tool.")
}

// answeredAs names the answering model if it differs from the requested one.
func answeredAs(answered, asked string) string {
	if answered == "" || answered == asked {
		return ""
	}
	return " as " + llm.SafeMessage(answered)
}

// checkReachable adds the check of key and endpoint after a first call. If the provider refused the call for its
// content, the list of models decides, because such a refusal shows nothing about the key.
func checkReachable(ctx context.Context, out *LlmChecks, client llm.Client, row store.Credential, err error) bool {
	const good = "The endpoint accepts the key."
	e, ok := errors.AsType[*llm.Error](err)
	switch {
	case err == nil, ok && (e.Class == llm.ClassEffort || e.Class == llm.ClassContextLength):
		return out.add("key", nil, good)
	case ok && e.Class == llm.ClassFinal && e.Status >= 400:
		if kind, _ := catalog.KindOf(row.Kind); !kind.ListsModels {
			return out.add("key", nil, "The endpoint answers. Test with one of its models to see if it accepts the key.")
		}
		if _, listErr := client.ListModels(ctx); listErr != nil {
			return out.add("key", failed("Neither the model nor the list of models answers: "+wordsOf(err)), "")
		}
		return out.add("key", nil, good)
	}
	return out.add("key", err, "")
}

func tryVectors(ctx context.Context, out *LlmChecks, client llm.Client, row store.Credential, in ConnectionTestRequest) {
	embedder, ok := client.(llm.Embedder)
	if kind, _ := catalog.KindOf(row.Kind); !ok || !kind.Embeddings {
		out.add("embeddings", failed("The provider has no interface for embeddings."), "")
		return
	}
	if wrong := catalogKey(row).RefusesVectors(in.Model, in.VectorSize); wrong.Field != "" {
		name := map[string]string{"model": "model", "vectorSize": "vector size"}[wrong.Field]
		out.add("embeddings", failed("The "+name+" "+wrong.Why+"."), "")
		return
	}
	_, err := embedder.Embed(ctx, llm.EmbedRequest{Model: in.Model, Texts: []string{"ok"}, Size: in.VectorSize})
	if e, ok := errors.AsType[*llm.Error](err); ok && e.Class == llm.ClassInvalidResponse {
		out.add("key", nil, "The endpoint accepts the key.")
		out.add("embeddings", err, "")
		return
	}
	if !checkReachable(ctx, out, client, row, err) {
		return
	}
	if out.add("model", err, "The model answers.") {
		out.add("embeddings", nil, fmt.Sprintf("Vectors have %d numbers, as asked for.", in.VectorSize))
	}
}

// verdictSchema is the smallest schema that strict structured output accepts.
const verdictSchema = `{"type":"object","properties":{"verdict":{"type":"string","enum":["good","bad"]}},` +
	`"required":["verdict"],"additionalProperties":false}`

func tryStructured(ctx context.Context, client llm.Client, ask llm.Request) error {
	ask.Messages = []llm.Message{{Role: llm.User, Text: `Is two the sum of one and one? Answer with JSON by the schema ` +
		verdictSchema + `: verdict is good for yes, bad for no.`}}
	ask.Schema = &llm.Schema{Name: "verdict", JSON: json.RawMessage(verdictSchema)}
	answer, err := client.Complete(ctx, ask)
	if err != nil {
		return err
	}
	var got struct {
		Verdict string `json:"verdict"`
	}
	switch bad := json.Unmarshal([]byte(answer.Text), &got); {
	case answer.Truncated():
		return failed(fmt.Sprintf("The answer was cut off at %d tokens.", testTokens))
	case bad != nil || got.Verdict != "good" && got.Verdict != "bad":
		return failed("The answer is not what its schema asks for.")
	case slices.Contains(answer.Unsupported, wire.JSONSchema) || slices.Contains(answer.Unsupported, wire.Format):
		return failed("The server refuses structured output. The model still wrote JSON; reviews work, with more answers that cannot be used.")
	}
	return nil
}

func tryTools(ctx context.Context, client llm.Client, ask llm.Request) error {
	ask.Messages = []llm.Message{{Role: llm.User, Text: "Call the tool report with the verdict good. Do not answer in words."}}
	ask.Tools = []llm.Tool{{Name: "report", Description: "Takes a verdict.", Parameters: json.RawMessage(verdictSchema)}}
	answer, err := client.Complete(ctx, ask)
	if err != nil {
		return err
	}
	for _, call := range answer.ToolCalls {
		if call.Name == "report" && json.Valid([]byte(call.Arguments)) {
			return nil
		}
	}
	return failed("The model did not call the tool that it was told to call. Reviews do not need tools.")
}

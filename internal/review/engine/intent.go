package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"

	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
)

// maxDescription is the most bytes of a description that the summary of its
// intent reads: about 4,000 tokens (design choice; templates with pasted logs
// are longer and say nothing more).
const maxDescription = 16_000

// intent is the answer to a call of the stage of the same name.
type intent struct {
	Intent string `json:"intent"`
}

func intentSchema() json.RawMessage {
	return ask.JSON(ask.Object(ask.Schema{"intent": ask.String}))
}

// intentSystem is the system text of the call.
func intentSystem(g ask.Guard, language string) string {
	return ask.SystemText("intent", textOf("intent")+ask.LanguageRule(language), g)
}

// pullRequestText returns the title and description for prompts. The fast model summarises a description that is too
// long. If that fails, the description is cut. The only errors are the end of the context and an effort that the
// provider rejects.
func (w *work) pullRequestText(ctx context.Context) (PullRequest, error) {
	body := w.redact(change.TidyProse(w.in.PullRequest.Body))
	out := PullRequest{Title: change.Cut(w.redact(change.TidyProse(w.in.PullRequest.Title)), change.MaxProse),
		Body: change.Cut(body, change.MaxProse)}
	route, ok := w.in.Models.Pick(ask.TierFast)
	if !ok || len(body) <= change.MaxProse {
		return out, nil
	}
	w.SpendConversations(1)
	route.MaxOutputTokens /= 4 // a summary is short; the rest is room for what a model reasons
	summary, err := w.summariseIntent(ctx, route, out.Title, change.Cut(body, maxDescription))
	switch {
	case ask.IsEffortRefused(err) || ctx.Err() != nil:
		return out, fmt.Errorf("intent: %w", err)
	case err != nil:
		w.deps.Logger.WarnContext(ctx, "the description was cut, not summarised", slog.Any("error", err))
	case summary != "":
		out.Body = "In short, by a model that read a longer description: " + summary
	}
	return out, nil
}

type intentKey struct{ Model, Effort, Language, Title, Body string }

// summariseIntent asks for the summary; "" when the answer holds none.
func (w *work) summariseIntent(ctx context.Context, r ask.Route, title, body string) (string, error) {
	w.ReportProgress("intent", 0, 1)
	return ask.Stored(ctx, w.Session, "intent", intentKey{r.Model, string(r.Effort), w.in.Policy.Language, title, body},
		func() (string, error) {
			messages := []llm.Message{{Role: llm.User, Text: w.Guard.Wrap("description of the author",
				strings.TrimSpace("title: "+change.OneLine(title)+"\n"+body))}}
			ans, err := w.Ask(ctx, "intent", r, intentSystem(w.Guard, w.in.Policy.Language), messages, intentSchema())
			if err != nil {
				return "", err
			}
			out, err := ask.ReadObject[intent](ans, "intent")
			if err != nil {
				return "", fmt.Errorf("%w: %w", ask.ErrAnswer, err)
			}
			return change.CleanProse(out.Intent), nil
		})
}

package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/review/reconcile"
)

// maxReply is the most bytes of a reply that models read (design choice: a long argument fits, a pasted log does not).
const maxReply = 6_000

// ReplyIntent is what a person's reply says about a finding.
type ReplyIntent string

// The intents of a reply.
const (
	ReplyDisputes ReplyIntent = "disputes" // the finding is wrong
	ReplyMended   ReplyIntent = "mended"   // the defect is mended by now
	ReplyDeclines ReplyIntent = "declines" // nothing will be done about it
	ReplyAsks     ReplyIntent = "asks"     // a question about the finding
	ReplyOther    ReplyIntent = "other"    // anything else, which needs no answer
)

// replyIntentWords holds the words of a model for each intent.
var replyIntentWords = ask.WordTable(map[ReplyIntent]string{
	ReplyDisputes: "disputes dispute disputed disagrees", ReplyMended: "mended fixed fixes resolved",
	ReplyDeclines: "declines decline declined wontfix", ReplyAsks: "asks ask question", ReplyOther: "other none unknown"})

// ReplyJudged is what [Engine.Reply] has found.
type ReplyJudged struct {
	Intent ReplyIntent
	Rule   ReplyRule // zero if the reply says nothing about other code of the repository
	// Gone reports that the code of the finding, or what a check found in it, is not at the head any more. Verdict is "" then.
	Gone bool
	// ByCode reports that Gone follows from the code alone, without the word of a model that has read the reply.
	ByCode bool
	// Verdict says whether the finding holds at the head, [domain.VerdictUnproven] if no code decides it; "" if the intent needs no code.
	Verdict domain.Verdict
	// Changed reports that the finding's code was changed since the review that found it.
	Changed bool
	Finding domain.Finding // with its place at the head
	Reason  string         // the verifier's words about the verdict; text of a model, "" for none
	Quote   string         // the code that proves the verdict; "" for none
	// Redact replaces the secrets that the change holds by placeholders.
	Redact func(text string) string
}

// Reply sorts a person's reply to a finding, the only one of [Input.Known], and holds the finding against the code at the head
// if the reply disputes it or calls it mended. Errors are those of [Engine.Review]; a model that gives no usable answer is
// [ask.ErrAnswer].
func (e *Engine) Reply(ctx context.Context, in Input, text string) (ReplyJudged, error) {
	if in.Models == nil || len(in.Known) != 1 {
		return ReplyJudged{}, errors.New("engine: a reply needs models and one finding")
	}
	w, err := e.prepare(ctx, in)
	if err != nil {
		return ReplyJudged{}, err
	}
	defer w.checks.Close()
	text = strings.TrimSpace(change.Cut(w.redact(change.TidyProse(text)), maxReply))
	out := ReplyJudged{Finding: in.Known[0], Redact: w.redact}
	if out.Intent, out.Rule, err = w.sortReply(ctx, out.Finding, text); err != nil {
		return ReplyJudged{}, fmt.Errorf("sort a reply: %w", err)
	}
	if out.Intent != ReplyDisputes && out.Intent != ReplyMended {
		return out, nil
	}
	return w.holdAgainstHead(ctx, out, text)
}

type replyKey struct{ Model, Effort, Finding, Text string }

// replyAnswer is the model's answer as it stands in the JSON.
type replyAnswer struct {
	Intent    string `json:"intent"`
	Rule      string `json:"rule"`
	RuleTitle string `json:"rule_title"`
	RuleQuote string `json:"rule_quote"`
}

func replySchema() json.RawMessage {
	return ask.JSON(ask.Object(ask.Schema{"intent": ask.Enum(string(ReplyDisputes), string(ReplyMended), string(ReplyDeclines),
		string(ReplyAsks), string(ReplyOther)), "rule": ask.String, "rule_title": ask.String, "rule_quote": ask.String}))
}

// sortReply asks the fast model for the intent of a reply, and for the rule that it states.
func (w *work) sortReply(ctx context.Context, f domain.Finding, text string) (ReplyIntent, ReplyRule, error) {
	route, ok := w.in.Models.Pick(ask.TierFast)
	if !ok {
		return "", ReplyRule{}, fmt.Errorf("%w: no model is routed", ask.ErrAnswer)
	}
	w.SpendConversations(1)
	route.MaxOutputTokens /= 4 // the answer is short; the rest is room for what a model reasons
	about := w.redact(change.OneLine(f.Title) + "\n" + change.CleanProse(f.Explanation))
	said, err := ask.Stored(ctx, w.Session, "reply", replyKey{route.Model, string(route.Effort), about, text}, func() (string, error) {
		messages := []llm.Message{{Role: llm.User, Text: w.Guard.Wrap("finding", about) + w.Guard.Wrap("reply of a person", text)}}
		ans, err := w.Ask(ctx, "reply", route, ask.SystemText("reply", textOf("reply"), w.Guard), messages, replySchema())
		if err == nil {
			_, err = readReply(ans.Text) // an unusable answer is not stored
		}
		return ans.Text, err
	})
	if err != nil {
		return "", ReplyRule{}, err
	}
	got, err := readReply(said)
	return ReplyIntent(got.Intent), got.rule(text), err
}

// readReply reads the model's answer, with an intent of the offered list. Errors wrap [ask.ErrAnswer].
func readReply(text string) (replyAnswer, error) {
	got, err := ask.ReadObject[replyAnswer](ask.Answer{Text: text}, "intent")
	if err != nil {
		return got, fmt.Errorf("%w: %w", ask.ErrAnswer, err)
	}
	if got.Intent = string(ask.Meaning(replyIntentWords, got.Intent)); got.Intent == "" {
		return got, fmt.Errorf("%w: the intent is not in the offered list", ask.ErrAnswer)
	}
	return got, nil
}

// holdAgainstHead checks a finding by the code at the head: by its check if one found it, else by the verifier, who reads the reply.
func (w *work) holdAgainstHead(ctx context.Context, out ReplyJudged, text string) (ReplyJudged, error) {
	checked, err := w.deterministic(ctx, w.checks.Findings)
	if err != nil {
		return out, err
	}
	rec, err := w.reconcile(ctx, checked)
	if err != nil {
		return out, err
	}
	it, changed := placedIn(rec, out.Finding.ID)
	if it == nil {
		out.Gone, out.ByCode = true, true
		return out, nil
	}
	out.Changed = changed
	if it.Deterministic() {
		out.Finding, out.Verdict = it.Finding, domain.VerdictConfirmed
		return out, nil
	}
	route, ok := w.in.Models.Pick(ask.TierStrong)
	if !ok {
		return out, fmt.Errorf("%w: no model is routed", ask.ErrAnswer)
	}
	it.Reply = text
	ver, err := w.verifyItems(ctx, checker{route: route, prompt: "verify", maxConversations: 1, desk: w.claimDesk(route),
		scene: scene{set: w.set, src: w.src, rules: w.rules}}, []*finding.Item{it})
	switch {
	case err != nil:
		return out, err
	case ver.err != nil:
		return out, ver.err
	case !it.Judged:
		return out, fmt.Errorf("%w: %s", ask.ErrAnswer, it.VerdictWhy)
	}
	if changed && it.Verdict == domain.VerdictUnproven && !it.Changed && !it.Check.Unread {
		out.Gone = true // as in a review: its code is gone, and nothing confirms it
		return out, nil
	}
	out.Finding.Anchor, out.Verdict = it.Anchor, it.Verdict
	if !it.Check.RepeatsTool {
		out.Reason = it.Check.Explanation
	}
	if it.Verdict != domain.VerdictUnproven {
		out.Quote = it.VerdictWhy
	}
	return out, nil
}

// placedIn returns the earlier finding as it stands at the head, and whether its code was changed. It returns nil if it is resolved.
func placedIn(rec reconcile.Result, id string) (it *finding.Item, changed bool) {
	is := func(it *finding.Item) bool { return it.ID == id }
	if i := slices.IndexFunc(rec.Recheck, is); i >= 0 {
		return rec.Recheck[i], true
	}
	if i := slices.IndexFunc(rec.Carried, is); i >= 0 {
		return rec.Carried[i], false
	}
	if i := slices.IndexFunc(rec.Fresh, is); i >= 0 {
		return rec.Fresh[i], true
	}
	return nil, false
}

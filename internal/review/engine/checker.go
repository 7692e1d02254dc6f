package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/llm"
	"github.com/assay-dev/assay/internal/review/ask"
	"github.com/assay-dev/assay/internal/review/change"
	"github.com/assay-dev/assay/internal/review/finding"
	"github.com/assay-dev/assay/internal/review/lookup"
)

// checker is how claims are checked.
type checker struct {
	route            ask.Route
	prompt           string // the text: verify or refute
	maxConversations int    // conversations
	scene            scene
	desk             claimDesk
	share            int // calls of tools that one conversation may make
}

// claimDesk offers the tools for checking claims.
type claimDesk interface {
	ask.Desk
	ClaimAllowance() *ask.Allowance
	CallsLeft() int // calls of this review
	Beside(ctx context.Context, a domain.Anchor) (text string, seen []change.Exhibit)
}

// toolNames returns the names of the tools for the key of a stored answer, "" if no calls are allowed.
func (k checker) toolNames() string {
	if k.share == 0 {
		return ""
	}
	var names []string
	for _, spec := range k.desk.Specs() {
		names = append(names, spec.Name)
	}
	return strings.Join(names, " ")
}

// callBound returns the number of tool calls for some claims in words, "" if none are allowed.
func (k checker) callBound(claims int) string {
	if k.share == 0 || len(k.desk.Specs()) == 0 {
		return ""
	}
	calls := min(claims*lookup.ClaimCalls, k.share)
	switch {
	case calls == 1:
		return callsInWords(calls)
	case claims == 1:
		return callsInWords(calls) + " for this claim"
	}
	return fmt.Sprintf("%s for these %d claims together", callsInWords(calls), claims)
}

// views are the ways to show a claim: without looked-up code, and with fewer lines around its place, where it has no room by
// itself.
var views = []view{{margin: verifyMargin, looked: maxLookedBytes}, {margin: verifyMargin}, {margin: 25}, {margin: 10}, {margin: 3}, {}}

// showClaims shows items, each with a name of its own, and reports whether the model has
// room for them.
func (w *work) showClaims(ctx context.Context, k checker, items []*finding.Item) (out []claim, fits bool) {
	for _, each := range views {
		out = nil
		for i, v := range sharedViews(items, each) {
			c := k.scene.claim(ctx, items[i], v)
			c.ID = claimID(i)
			out = append(out, c)
		}
		p := w.claimQuestion(k, out, true)
		if fits = ask.Size(p.System, p.Schema, p.Messages)+ask.ToolSize(k.desk.Specs()) <= k.route.Input(); fits || len(items) > 1 {
			break
		}
	}
	return out, fits
}

func claimID(i int) string { return fmt.Sprintf("c%d", i+1) }

// sharedViews returns the views of the claims of one prompt. Claims whose lines of one version overlap show them together,
// at the first of them.
func sharedViews(items []*finding.Item, each view) []view {
	out, first := make([]view, len(items)), make([]int, len(items))
	for i, it := range items {
		a := it.Anchor
		out[i], first[i] = each, i
		for _, o := range items[:i] {
			out[i].done = append(out[i].done, o.Check.Looked...)
		}
		if a.StartLine < 1 {
			continue
		}
		out[i].union = widened(a, each.margin)
		out[i].near = widened(a, min(each.margin, removedMargin))
		for j := range i {
			b, at := items[j].Anchor, &out[first[j]]
			if b.Path == a.Path && (b.Side == domain.Left) == (a.Side == domain.Left) && at.union.First > 0 &&
				out[i].union.First <= at.union.Last && at.union.First <= out[i].union.Last {
				at.union, at.near = joined(at.union, out[i].union), joined(at.near, out[i].near)
				first[i], out[i].with = first[j], claimID(first[j])
				break
			}
		}
	}
	for i := range out {
		out[i].union, out[i].near = out[first[i]].union, out[first[i]].near
	}
	return out
}

// widened returns the lines of an anchor with so many before and after them.
func widened(a domain.Anchor, margin int) change.Span {
	return change.Span{First: max(a.StartLine-margin, 1), Last: a.EndLine + margin}
}

func joined(a, b change.Span) change.Span {
	return change.Span{First: min(a.First, b.First), Last: max(a.Last, b.Last)}
}

func claimIndex(claims []claim, v verdict) int {
	return slices.IndexFunc(claims, func(c claim) bool { return c.ID == strings.TrimSpace(v.Claim) })
}

func claimsText(claims []claim) string {
	var b strings.Builder
	for _, c := range claims {
		fmt.Fprintf(&b, "=== claim %s\n%s\n", c.ID, c.Text)
	}
	return b.String()
}

// claimQuestion returns the question about claims, for a model with or without tools.
func (w *work) claimQuestion(k checker, claims []claim, tools bool) ask.Question {
	bound := ""
	if tools {
		bound = k.callBound(len(claims))
	}
	var notes []string
	for _, c := range claims {
		notes = append(notes, c.notes...)
	}
	slices.Sort(notes)
	return ask.Question{Stage: "verify", Route: k.route, Schema: verdictSchema(),
		System: verifySystem(w.Guard, k.prompt, w.in.Policy.Language, bound, slices.Compact(notes)...),
		Messages: []llm.Message{{Role: llm.User, Text: w.Guard.Wrap("claims and code", claimsText(claims)) +
			authorBlock(w.Guard, w.authorWords())}}}
}

// claimTalk returns the conversation about claims. A model without tools, or without calls left, gets beside each claim
// the definitions and uses of its names, as far as there is room. The claims are changed then.
func (w *work) claimTalk(k checker, claims []claim) ask.Talk {
	bounds := k.desk.ClaimAllowance()
	bounds.Calls, bounds.Tokens = min(len(claims)*bounds.Calls, k.share), len(claims)*bounds.Tokens
	var desk ask.Desk
	if k.share > 0 {
		desk = k.desk
	}
	talk := ask.Talk{Question: w.claimQuestion(k, claims, true), Desk: desk, Bounds: bounds}
	talk.Without = func(ctx context.Context, p *ask.Question) {
		*p = w.claimQuestion(k, claims, false)
		for i := range claims {
			text, seen := k.desk.Beside(ctx, claims[i].it.Anchor)
			if text == "" {
				continue
			}
			before := claims[i]
			fence := change.Fence(text)
			claims[i].Text += fmt.Sprintf("beside:\n%s\n%s\n%s\n", fence, strings.TrimRight(text, "\n"), fence)
			claims[i].seen, claims[i].notes = slices.Concat(claims[i].seen, seen), append(slices.Clone(before.notes), "claims-beside")
			with := w.claimQuestion(k, claims, false)
			if ask.Size(with.System, with.Schema, with.Messages) > k.route.Input() {
				claims[i] = before
				continue
			}
			*p = with
		}
	}
	return talk
}

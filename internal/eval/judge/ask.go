package judge

import (
	"context"
	crand "crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/review/ask"
)

// promptVersion is part of an answer's key, because another prompt may get another answer.
const promptVersion = "2"

// perCall is the number of questions in one call (design choice: an unusable answer loses only these).
const perCall = 10

// The answers to whether a pair is the same.
const (
	saysSame      = "same"
	saysDifferent = "different"
)

const sameText = `You compare reports about one change of code. Each pair has two reports, by two people who do not know each other. ` +
	`Either may come first; who is right is not the question.

same is true only if both name the same underlying defect and the same repair would mend both, ` +
	`however differently they are worded, and also if they point at different lines of it. ` +
	`It is false if they are about one piece of code but different defects, ` +
	`or if one is only about the surroundings of the other. ` +
	`In reason, say in one sentence what decides it, before you answer.
`

const tieText = `
Under a pair stand two opinions of others that contradict each other. Neither counts for more. Decide for yourself.
`

// question is the text of a question to a model.
type question struct {
	text string
	key  string // key that its answer is stored under
}

// form is a kind of question.
type form struct {
	stage, name, label string // stage of the call; list in the answer; prefix of a question's number
	system, data       string
	answer             map[string]any // schema of the deciding member
	member             string
	read               func(json.RawMessage) string // returns "" for an invalid answer
}

var sameForm = form{stage: "judge-same", name: "pairs", label: "p", system: sameText, data: "pairs of reports", member: "same",
	answer: map[string]any{"type": "boolean"}, read: func(raw json.RawMessage) string {
		switch string(raw) {
		case "true":
			return saysSame
		case "false":
			return saysDifferent
		}
		return ""
	}}

// askPairs asks one model about each pair. An invalid answer is empty.
func (j *Judge) askPairs(ctx context.Context, r ask.Route, pairs []pair) ([]Answer, error) {
	f := sameForm
	questions := make([]question, len(pairs))
	for i, p := range pairs {
		if len(p.reasons) > 0 {
			f.system = sameText + tieText
		}
		questions[i] = question{text: p.write(j.seed), key: key(r, f,
			append([]string{p.finding, p.known, p.lines[0], p.lines[1]}, p.reasons...)...)}
	}
	return j.ask(ctx, r, f, questions)
}

// write writes a pair. The seed and the pair alone decide the order of its sides and of the reasons.
func (p pair) write(seed uint64) string {
	rng := newRand(seed, p.finding, p.known)
	sides := []string{p.finding, p.known}
	lines := []string{p.lines[0], p.lines[1]}
	if rng.IntN(2) == 1 {
		slices.Reverse(sides)
		slices.Reverse(lines)
	}
	var b strings.Builder
	for i, s := range sides {
		where := ""
		if lines[i] != "" {
			where = " at " + lines[i]
		}
		fmt.Fprintf(&b, "report %d%s: %s\n", i+1, where, s)
	}
	reasons := slices.Clone(p.reasons)
	if rng.IntN(2) == 1 {
		slices.Reverse(reasons)
	}
	for _, r := range reasons {
		fmt.Fprintf(&b, "opinion: %s\n", promptLine(r))
	}
	return b.String()
}

// newRand returns random numbers that depend only on a seed and texts.
func newRand(seed uint64, texts ...string) *rand.Rand {
	h := sha256.Sum256([]byte(fmt.Sprint(seed, "\x00", strings.Join(texts, "\x00"))))
	return rand.New(rand.NewChaCha8(h))
}

// key returns the key of a model's answer to a question.
func key(r ask.Route, f form, parts ...string) string {
	h := sha256.New()
	for _, p := range append([]string{promptVersion, f.stage, f.system, r.Model, string(r.Effort)}, parts...) {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// ask answers questions from the known answers, and the rest by calls with several questions each, in an
// order that depends on the seed. Questions without a usable answer get an empty one.
func (j *Judge) ask(ctx context.Context, r ask.Route, f form, questions []question) ([]Answer, error) {
	out := make([]Answer, len(questions))
	var open []int
	j.mu.Lock()
	for i, q := range questions {
		if a, known := j.answers[q.key]; known {
			out[i] = a
		} else {
			open = append(open, i)
		}
	}
	j.mu.Unlock()
	rng := newRand(j.seed, f.stage, r.Model)
	rng.Shuffle(len(open), func(a, b int) { open[a], open[b] = open[b], open[a] })
	for some := range slices.Chunk(open, perCall) {
		asked := make([]question, len(some))
		for k, i := range some {
			asked[k] = questions[i]
		}
		answers, err := j.call(ctx, r, f, asked)
		if err != nil {
			return out, err
		}
		for k, i := range some {
			out[i] = answers[k]
		}
	}
	return out, nil
}

// call asks several questions in one call.
func (j *Judge) call(ctx context.Context, r ask.Route, f form, questions []question) ([]Answer, error) {
	out := make([]Answer, len(questions))
	if !j.takeCall(len(questions)) {
		return out, nil
	}
	var b strings.Builder
	for i, q := range questions {
		fmt.Fprintf(&b, "=== %s%d\n%s", f.label, i+1, q.text)
	}
	element := ask.Object(map[string]any{"id": map[string]any{"type": "string"}, "reason": map[string]any{"type": "string"},
		f.member: f.answer})
	schema, err := json.Marshal(ask.Object(map[string]any{f.name: map[string]any{"type": "array", "items": element}}))
	if err != nil {
		return out, err
	}
	g := ask.NewGuard(crand.Reader)
	system := ask.SystemText(f.stage, f.system+"\nAnswer each of them by its id ("+f.label+"1 and so on).\n", g)
	began := time.Now()
	resp, err := ask.Once(ctx, r, f.stage, system, g, g.Wrap(f.data, b.String()), schema)
	j.mu.Lock()
	j.cost.InputTokens += resp.Usage.InputTokens
	j.cost.CachedTokens += resp.Usage.CachedInputTokens
	j.cost.OutputTokens += resp.Usage.OutputTokens
	j.cost.Duration += time.Since(began)
	j.mu.Unlock()
	switch {
	case err != nil && ctx.Err() != nil:
		return out, ctx.Err()
	case err != nil && ask.Unusable(err):
		return out, nil
	case err != nil:
		return out, fmt.Errorf("judge %s: %w", r.Model, err)
	}
	f.take(resp.Text, out)
	j.storeAnswers(questions, out)
	return out, nil
}

// takeCall takes one call for n questions from the bound.
func (j *Judge) takeCall(n int) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.cost.Calls >= j.maxCalls {
		j.refused += n
		return false
	}
	j.cost.Calls++
	return true
}

func (j *Judge) storeAnswers(questions []question, answers []Answer) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for i, a := range answers {
		if a.Says != "" {
			j.answers[questions[i].key] = a
		}
	}
}

// take reads an answer. A question with two different answers gets an empty one.
func (f form) take(text string, out []Answer) {
	list, err := ask.Elements[map[string]json.RawMessage](text, f.name)
	if err != nil {
		return
	}
	spoilt := map[int]bool{}
	for _, e := range list {
		var id, reason string
		if json.Unmarshal(e["id"], &id) != nil {
			continue
		}
		_ = json.Unmarshal(e["reason"], &reason) // the reason is optional
		for i := range out {
			if strings.TrimSpace(id) != fmt.Sprint(f.label, i+1) {
				continue
			}
			a := Answer{Says: f.read(e[f.member]), Reason: promptLine(reason)}
			spoilt[i] = spoilt[i] || out[i].Says != "" && out[i].Says != a.Says
			out[i] = a
		}
	}
	for i := range spoilt {
		if spoilt[i] {
			out[i] = Answer{}
		}
	}
}

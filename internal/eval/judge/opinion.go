package judge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/eval"
	"github.com/assay-dev/assay/internal/eval/score"
	"github.com/assay-dev/assay/internal/review/change"
)

// Bounds of the code that a judge sees for a finding (design choices): margin lines before and after it, or
// the first lines of a whole file.
const (
	margin    = 30
	maxLines  = 160
	maxOfCode = 12_000 // bytes
	maxLine   = 500    // bytes
)

const opinionText = `You check reports about code. Each report says that a piece of code is defective. Who wrote it is not known. ` +
	`Decide from the code shown alone, which has numbers before its lines.

verdict: CONFIRMED if the code shown proves that it is so; FABRICATED if the code shown proves that it is not so, ` +
	`or if what the report speaks of is not there; PLAUSIBLE if the code shown does not decide it. ` +
	`In reason, say in one sentence what decides it, before you answer.
`

var verdicts = []score.Verdict{score.Confirmed, score.Plausible, score.Fabricated}

var opinionForm = form{stage: "judge-code", name: "reports", label: "r", system: opinionText, data: "reports and code", member: "verdict",
	answer: map[string]any{"type": "string", "enum": verdicts}, read: func(raw json.RawMessage) string {
		var says string
		if json.Unmarshal(raw, &says) != nil || !slices.Contains(verdicts, score.Verdict(says)) {
			return ""
		}
		return says
	}}

// opinions asks the first model about findings without a known explanation, with the code around them.
func (j *Judge) opinions(ctx context.Context, o eval.Outcome, code Code, explained map[score.Ref]bool, out *score.Judgement) error {
	var of []score.Ref
	var questions []question
	for h := range o.Heads {
		for i, f := range o.Heads[h].Stages[eval.Published] {
			ref := score.Ref{Head: h, Finding: i}
			if explained[ref] {
				continue
			}
			around, err := codeAround(ctx, code, h, f)
			if err != nil {
				return err
			}
			if around == "" {
				out.Unjudged++
				continue
			}
			said := promptLine(f.Title + ": " + f.Text)
			where := fmt.Sprintf("%s, %s", promptLine(f.Path), span(f.StartLine, f.EndLine))
			of = append(of, ref)
			questions = append(questions, question{text: fmt.Sprintf("report at %s: %s\ncode:\n%s", where, said, around),
				key: key(j.first, opinionForm, where, said, around)})
		}
	}
	answers, err := j.ask(ctx, j.first, opinionForm, questions)
	for i, a := range answers {
		if a.Says == "" {
			out.Unjudged++
			continue
		}
		out.Opinions = append(out.Opinions, score.Opinion{Ref: of[i], Verdict: score.Verdict(a.Says)})
	}
	return err
}

// codeAround returns the code around a finding, or "" if it cannot be read. It fails only with the context's
// error.
func codeAround(ctx context.Context, code Code, head int, f eval.Finding) (string, error) {
	if code == nil {
		return "", nil
	}
	source := code(head)
	if source == nil || f.Path == "" {
		return "", nil
	}
	raw, err := source.Blob(ctx, f.Side, f.Path)
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) && ctx.Err() != nil {
			return "", ctx.Err()
		}
		return "", nil
	}
	lines := strings.Split(string(raw), "\n")
	from := max(f.StartLine-margin, 1)
	to := min(max(f.EndLine, f.StartLine)+margin, len(lines), from+maxLines-1)
	var b strings.Builder
	for n := from; n <= to && b.Len() < maxOfCode; n++ {
		fmt.Fprintf(&b, "%5d  %s\n", n, clip.Bytes(change.ShowInvisible(strings.TrimSuffix(lines[n-1], "\r")), maxLine))
	}
	return b.String(), nil
}

package check

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"testing"

	"github.com/assay-dev/assay/internal/analysers"
	"github.com/assay-dev/assay/internal/review/match"
	"github.com/assay-dev/assay/internal/testkit"
)

// calls is a program that finds each line with the word of a pattern, in place of ast-grep.
type calls struct {
	asked analysers.PatternRequest
	out   func(*analysers.PatternOutcome)
}

func (c *calls) Match(ctx context.Context, q analysers.PatternRequest) (out analysers.PatternOutcome, err error) {
	c.asked = q
	out.Failures = make([]analysers.Reason, len(q.Patterns))
	for _, f := range q.Files {
		b, err := q.Read(ctx, f.Path)
		if errors.Is(err, fs.ErrNotExist) {
			out.Left = append(out.Left, analysers.LeftOut{Path: f.Path})
			continue
		} else if err != nil {
			return out, err
		}
		for n, line := range strings.Split(string(b), "\n") {
			for i, p := range q.Patterns {
				if strings.Contains(line, p.Code) {
					out.Hits = append(out.Hits, analysers.PatternHit{Pattern: i, Path: f.Path, First: n + 1, Last: n + 1, About: strings.TrimSpace(line)})
				}
			}
		}
	}
	if c.out != nil {
		c.out(&out)
	}
	return out, nil
}

func inPython(id, pattern string) Rule {
	r := byRegex(pattern)
	r.ID, r.Matcher = id, match.Spec{Kind: match.AST, Pattern: pattern, Language: "Python"}
	return r
}

// Only places that the change adds are reported, also in a child process, and the program gets neither paths nor files of the
// change that no rule concerns.
func TestPatternsThatAProgramMatches(t *testing.T) {
	t.Parallel()
	before, after := "print(1)\n", "if x:\n    print(1)\nprint(2)\n"
	set := change(t, "app/a.py", before, after)
	src := files{"RIGHT:app/a.py": after, "LEFT:app/a.py": before}
	opt := Options{Rules: []Rule{byRegex("never"), inPython("rul_2", "print")}}
	program := &calls{}
	rules, err := MatchCode(t.Context(), set, src, opt, program)
	testkit.OK(t, err)
	testkit.Equal(t, "asked", fmt.Sprint(program.asked.Files, program.asked.Patterns), "[{head/0.py Python} {base/0.py Python}] [{python print}]")
	opt.Rules = rules
	got, err := confined(t).Run(t.Context(), set, src, opt)
	testkit.OK(t, err)
	defer got.Close()
	testkit.Equal(t, "lines", found(got), "3")

	_, err = MatchCode(t.Context(), set, src, Options{Rules: opt.Rules, LeftOut: []string{"app/a.py"}}, program)
	testkit.OK(t, err)
	tried, err := MatchRule(t.Context(), set, src, inPython("rul_2", "print"), program)
	testkit.OK(t, err)
	testkit.Equal(t, "tried", fmt.Sprintf("%+v", tried),
		"{Files:1 Hits:2 Reported:1 Places:[{Path:app/a.py Line:3 Reported:true} {Path:app/a.py Line:2 Reported:false}] Partly:false Unmatched:}")
}

func TestPatternsThatAProgramDoesNotMatch(t *testing.T) {
	t.Parallel()
	set := change(t, "a.py", "", "print(1)\n")
	src := files{"RIGHT:a.py": "print(1)\n"}
	run := func(src files, m CodeMatcher) Result {
		opt := Options{Rules: []Rule{inPython("rul_1", "print")}}
		var err error
		opt.Rules, err = MatchCode(t.Context(), set, src, opt, m)
		testkit.OK(t, err)
		res, err := checker(t).Run(t.Context(), set, src, opt)
		testkit.OK(t, err)
		return res
	}
	testkit.Equal(t, "without a program", run(src, nil).Unmatched["rul_1"], UnmatchedProgram)
	for reason, want := range map[analysers.Reason]string{analysers.Exit: UnmatchedPattern, analysers.Time: UnmatchedTime,
		analysers.Sandbox: UnmatchedProgram, analysers.Output: UnmatchedProgram, analysers.Crash: UnmatchedProgram} {
		got := run(src, &calls{out: func(o *analysers.PatternOutcome) { o.Failures[0] = reason }})
		testkit.Equal(t, string(reason), got.Unmatched["rul_1"]+found(got), want)
	}
	testkit.Equal(t, "unread", run(files{}, &calls{}).Unread["a.py"], WhyRuleBound)
	many := run(src, &calls{out: func(o *analysers.PatternOutcome) { o.Hits = slices.Repeat(o.Hits, match.MaxHits+1) }})
	testkit.Equal(t, "more hits than a file may have", many.Unread["a.py"], WhyRuleBound)
	foreign := run(src, &calls{out: func(o *analysers.PatternOutcome) { o.Hits[0].Path = "head/7.py" }})
	testkit.Equal(t, "a hit in another file", found(foreign), "")
	unmatched, err := checker(t).Run(t.Context(), set, src, Options{Rules: []Rule{inPython("rul_1", "print")}})
	testkit.OK(t, err)
	testkit.Equal(t, "a rule that was not given to the program", unmatched.Unmatched["rul_1"], UnmatchedProgram)
	failed := errors.New("the host is down")
	_, err = MatchCode(t.Context(), set, failing{failed}, Options{Rules: []Rule{inPython("rul_1", "print")}}, &calls{})
	testkit.Equal(t, "the source's error", errors.Is(err, failed), true)
}

package check

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/rhysd/actionlint"
	"go.yaml.in/yaml/v4"

	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/regexp"
	"github.com/assay-dev/assay/internal/wording"
)

// workflowFaults checks workflows of GitHub Actions: their syntax and expressions by actionlint, whose programs and reading of files stay
// off, and actions by a tag or branch. Actions of a repository itself are checked for the latter. Only faults of this change count.
func workflowFaults(ctx context.Context, f *diff.File, src Source) (checkResult, error) {
	if f.Status == diff.Deleted || len(f.Hunks) == 0 || f.Class == diff.ClassSymlink {
		return checkResult{}, nil
	}
	workflow := isWorkflow(f.Path)
	if !workflow && (!isAction(f.Path) || f.Class == diff.ClassVendored || inSamples(f)) {
		return checkResult{}, nil
	}
	content, err := head(ctx, src, f.Path)
	if err != nil || content == nil {
		return checkResult{}, err
	}
	before, err := baseOf(ctx, f, src)
	if err != nil {
		return checkResult{}, err
	}
	now, unread := movingActions(content)
	old, _ := movingActions(before)
	if workflow && strings.HasPrefix(strings.ToLower(f.Path), ".github/") {
		linted, beyond := lintWorkflow(content)
		base, _ := lintWorkflow(before) // a workflow beyond the bounds had no faults, so all present ones are new
		now, old, unread = append(now, linted...), append(old, base...), unread || beyond
	}
	out := reportFaults(f, newFaults(f, now, old))
	if unread {
		out.unread = WhyWorkflow
	}
	return out, nil
}

// Bounds of a workflow that is linted (design choices).
const (
	maxWorkflowNodes = 10_000 // with its aliases resolved; actionlint visits them more than once
	maxLintErrors    = 200
)

// lintWorkflow returns what actionlint finds in a workflow, without what depends on its own lists of actions, events and machines,
// because these grow old, and without its rule on matrices, whose time grows with the square of a list. unread means that the workflow
// is beyond the bounds.
func lintWorkflow(content []byte) (faults []fault, unread bool) {
	defer func() { // the linter reads bytes from outside, and its panic must not end the review
		if recover() != nil {
			faults, unread = nil, true
		}
	}()
	text := strings.TrimPrefix(string(content), "\ufeff")
	if strings.TrimSpace(text) == "" {
		return nil, false
	}
	if nodes, ok := workflowNodes([]byte(text)); !ok || nodes > maxWorkflowNodes {
		return nil, true
	}
	w, all := actionlint.Parse([]byte(text))
	if w != nil {
		forgetActions(w)
		rules := []actionlint.Rule{
			actionlint.NewRuleEvents(), actionlint.NewRuleJobNeeds(), actionlint.NewRuleEnvVar(),
			actionlint.NewRuleID(), actionlint.NewRuleGlob(), actionlint.NewRuleDeprecatedCommands(), actionlint.NewRuleIfCond(),
			actionlint.NewRuleExpression(actionlint.NewLocalActionsCache(nil, nil), actionlint.NewLocalReusableWorkflowCache(nil, "", nil)),
		}
		v := actionlint.NewVisitor()
		for _, r := range rules {
			v.AddPass(r)
		}
		if v.Visit(w) != nil {
			return nil, true
		}
		for _, r := range rules {
			all = append(all, r.Errs()...)
		}
	}
	lines := strings.Split(text, "\n")
	type sign struct {
		line int
		says string
	}
	seen := map[sign]bool{}
	slices.SortStableFunc(all, func(a, b *actionlint.Error) int { return cmp.Compare(a.Line, b.Line) })
	for _, e := range all[:min(len(all), maxLintErrors)] {
		for _, d := range lintFaults(e, lines) {
			if sign := (sign{d.line, d.says}); !seen[sign] {
				seen[sign] = true
				faults = append(faults, d)
			}
		}
	}
	slices.SortStableFunc(faults, func(a, b fault) int { return cmp.Compare(a.line, b.line) })
	return faults, len(all) > maxLintErrors
}

// workflowNodes counts the nodes of a workflow with its aliases resolved, at most to a little more than [maxWorkflowNodes]. It is 0 for a
// text that is not YAML. ok is false for a text that YAML does not bound.
func workflowNodes(text []byte) (nodes int, ok bool) {
	if _, err := ParseYAML(text); errors.Is(err, ErrYAMLBound) || errors.Is(err, errYAMLPanic) {
		return 0, false
	}
	var root yaml.Node
	if yaml.Unmarshal(text, &root) != nil {
		return 0, true
	}
	var count func(n *yaml.Node)
	count = func(n *yaml.Node) {
		if nodes++; nodes > maxWorkflowNodes {
			return
		}
		if n.Alias != nil {
			count(n.Alias)
		}
		for _, c := range n.Content {
			count(c)
		}
	}
	count(&root)
	return nodes, true
}

// forgetActions hides the actions of steps from the rules, which know the outputs of many versions but not the newest. The script of
// github-script stays known.
func forgetActions(w *actionlint.Workflow) {
	for _, job := range w.Jobs {
		for _, step := range job.Steps {
			if e, ok := step.Exec.(*actionlint.ExecAction); ok && e.Uses != nil && !strings.HasPrefix(e.Uses.Value, "actions/github-script@") {
				e.Uses.Value = "unknown/unknown@v1"
			}
		}
	}
}

var (
	// lintIgnored matches messages about what GitHub accepts, or what newer versions of it may accept.
	lintIgnored = regexp.MustCompile(`is defined but not used|^"if" condition should be type|^undefined function|^unknown Webhook event|` +
		`^invalid activity type|^constant expression|^string should not be empty|` +
		`^invalid timezone|it is also required|configuration variable|runs too frequently`)
	lintUntrusted = regexp.MustCompile(`^"([^"]+)" is potentially untrusted|^object filter extracts potentially untrusted properties ` +
		`"([^"]+)"`)
	lintUndefined = regexp.MustCompile(`^property "([^"]+)" is not defined`)
	lintQuoted    = regexp.MustCompile(`"([^"]+)"`)
	// lintOwn matches what a workflow itself defines. Other contexts get new properties.
	lintOwn = regexp.MustCompile(`(?i)\b(?:steps|needs|inputs|matrix|jobs)\.`)
	lintSee = regexp.MustCompile(`[.,]? (?:note: .*|see |instead, |for more details).*$|: https://\S+$`)
)

// lintFaults turns an error of actionlint into faults: none if the error is ignored, and one for each line with untrusted text.
func lintFaults(e *actionlint.Error, lines []string) (out []fault) {
	message := strings.Join(strings.Fields(e.Message), " ")
	if lintIgnored.MatchString(message) {
		return nil
	}
	if m := lintUntrusted.FindStringSubmatch(message); m != nil {
		name := m[1] + m[2]
		d := fault{rule: "assay/ci-injection", category: domain.CategorySecurity, severity: domain.High, about: name,
			title: wording.English(wording.TitleInjection),
			says:  wording.English(wording.SayInjection, visible(clip.Runes(name, 80, "…")))}
		at := blockLines(lines, e.Line, name)
		if len(at) == 0 {
			at = []int{e.Line}
		}
		for _, d.line = range at {
			out = append(out, d)
		}
		return out
	}
	d := fault{rule: "actionlint/" + e.Kind, category: domain.CategoryStaticAnalysis, severity: domain.Medium, line: e.Line,
		title: wording.English(wording.TitleLint)}
	if e.Kind == "deprecated-commands" {
		d.severity = domain.Low
	}
	if m := lintUndefined.FindStringSubmatch(message); m != nil {
		d.lines = blockLines(lines, e.Line, "."+m[1])
		if !slices.ContainsFunc(append([]int{e.Line}, d.lines...), func(n int) bool {
			return n > 0 && n <= len(lines) && lintOwn.MatchString(lines[n-1])
		}) {
			return nil
		}
	} else if m := lintQuoted.FindStringSubmatch(message); m != nil && e.Kind == "expression" {
		d.lines = blockLines(lines, e.Line, m[1])
	}
	d.about = clip.Runes(visible(clip.Line(lintSee.ReplaceAllString(message, ""))), 200, "…")
	d.says = wording.English(wording.SayLint, d.about)
	if strings.HasPrefix(message, "could not parse as YAML") {
		d.whole, d.about = true, "yaml"
	}
	return []fault{d}
}

// blockLines returns the lines of a block of text with an expression that names something, if the block begins at the line. The linter
// gives the first line of a block for all expressions in it.
func blockLines(lines []string, first int, name string) (out []int) {
	if first < 1 || first > len(lines) {
		return nil
	}
	indent := indentOf(lines[first-1])
	name = strings.ToLower(strings.Split(name, "*")[0])
	for n := first; n < len(lines); n++ {
		if l := lines[n]; strings.TrimSpace(l) != "" {
			if indentOf(l) <= indent {
				break
			}
			if strings.Contains(l, "${{") && strings.Contains(strings.ToLower(l), name) {
				out = append(out, n+1)
			}
		}
	}
	return out
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " -")) }

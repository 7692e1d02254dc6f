package check

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/rhysd/actionlint"
	"go.yaml.in/yaml/v4"

	"github.com/assay-dev/assay/internal/diff"
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
		if err := ctx.Err(); err != nil {
			return checkResult{}, err
		}
		base, _ := lintWorkflow(before) // a workflow beyond the bounds had no faults, so all present ones are new
		now, old, unread = append(now, linted...), append(old, base...), unread || beyond
	}
	out := reportFaults(f, newFaults(f, now, old))
	if unread {
		out.unread = WhyWorkflow
	}
	return out, nil
}

// Bounds of a workflow that is linted (design choices). All but the last are with its aliases resolved. Each expression can get a message
// as long as the workflow.
const (
	maxWorkflowNodes       = 10_000
	maxWorkflowText        = 512 << 10   // bytes
	maxWorkflowExpressions = 2_000_000   // expressions times nodes
	maxWorkflowMessages    = 100_000_000 // expressions times bytes
	maxLintErrors          = 200
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
	if !canLint([]byte(text)) {
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
		for _, r := range rules {
			unread = !visitRule(r, w) || unread
			all = append(all, r.Errs()...)
		}
	}
	lines := workflowLines{lines: strings.Split(text, "\n"), expressions: workflowExpressions(text)}
	type sign struct {
		line int
		says string
	}
	seen := map[sign]bool{}
	slices.SortStableFunc(all, func(a, b *actionlint.Error) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), strings.Compare(a.Message, b.Message))
	})
	all = slices.CompactFunc(all, func(a, b *actionlint.Error) bool { return a.Line == b.Line && a.Message == b.Message })
	for _, e := range all[:min(len(all), maxLintErrors)] {
		for _, d := range lines.faults(e) {
			if sign := (sign{d.line, d.says}); !seen[sign] {
				seen[sign] = true
				faults = append(faults, d)
			}
		}
	}
	slices.SortStableFunc(faults, func(a, b fault) int { return cmp.Compare(a.line, b.line) })
	return faults, unread || len(all) > maxLintErrors
}

// visitRule lets a rule find its errors. ok is false if the rule did not see the whole workflow.
func visitRule(r actionlint.Rule, w *actionlint.Workflow) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	v := actionlint.NewVisitor()
	v.AddPass(r)
	return v.Visit(w) == nil
}

// canLint reports whether a workflow is within the bounds. A text that is not YAML is, because the linter only reports it.
func canLint(text []byte) bool {
	if _, err := ParseYAML(text); errors.Is(err, ErrYAMLBound) || errors.Is(err, errYAMLPanic) {
		return false
	}
	var root yaml.Node
	if yaml.Unmarshal(text, &root) != nil {
		return true
	}
	var nodes, size, expressions int
	var count func(n *yaml.Node)
	count = func(n *yaml.Node) {
		nodes++
		size += len(n.Value)
		if nodes > maxWorkflowNodes || size > maxWorkflowText {
			return
		}
		expressions += strings.Count(n.Value, "${{")
		if n.Value == "if" {
			expressions++
		}
		if n.Alias != nil {
			count(n.Alias)
		}
		for _, c := range n.Content {
			count(c)
		}
	}
	count(&root)
	return nodes <= maxWorkflowNodes && size <= maxWorkflowText && nodes*expressions <= maxWorkflowExpressions &&
		size*expressions <= maxWorkflowMessages
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

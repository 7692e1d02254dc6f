package analysers

import (
	"context"
	"strings"

	"github.com/assay-dev/assay/internal/analysers/rules"
	"github.com/assay-dev/assay/internal/sarif"
)

// unmuted returns a reader of files in which no comment keeps ast-grep from reporting, because the author of a change could hide
// faults by such a comment.
func unmuted(read func(context.Context, string) ([]byte, error)) func(context.Context, string) ([]byte, error) {
	return func(ctx context.Context, path string) ([]byte, error) {
		content, err := read(ctx, path)
		return rules.Unmute(content), err
	}
}

// describeOwnRules adds the advice, the page and the weakness of our rules to a report of ast-grep, which has only their ids and
// messages. Rules of the operator stay as they are.
func describeOwnRules(doc *sarif.Document) error {
	for i := range doc.Runs {
		run := &doc.Runs[i]
		for j := range run.Results {
			r := &run.Results[j]
			own, found, err := rules.Find(r.RuleID)
			if err != nil {
				return err
			}
			if !found {
				continue
			}
			r.Message += " " + own.Advice
			rule := sarif.Rule{ID: r.RuleID, Short: own.Title, Help: own.Page}
			if own.Security {
				rule.Tags = []string{"external/cwe/" + strings.ToLower(own.CWE)}
			}
			if run.Rules == nil {
				run.Rules = map[string]sarif.Rule{}
			}
			run.Rules[r.RuleID] = rule
		}
	}
	return nil
}

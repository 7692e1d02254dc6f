package mcpserver

import (
	"context"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/auth"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/store"
)

// writeScope is the scope of tools that change something.
const writeScope = "write"

// ToolScopes returns the tools that can be offered at /mcp, with the scope that a token needs for each (interface design, MCP
// endpoint). review_diff has its own scope because it spends from the budget.
func ToolScopes() map[string]string {
	out := map[string]string{}
	for _, t := range tools() {
		out[t.name] = t.scope
	}
	return out
}

// tools is the table of all tools.
func tools() []tool {
	return []tool{
		newTool(toolInfo{Name: "list_repositories", Scope: "repositories:read", Title: "List repositories",
			Description: "Lists the repositories that the owner of the token may see, by name. Use it to find the id of a repository, or " +
				"whether assay knows it."}, listRepositories),
		newTool(toolInfo{Name: "get_review", Scope: "reviews:read", Title: "Get a review",
			Description: "Returns a review of a pull request: its state, what " +
				"it covers, and its findings in order of importance. Name a run, or a pull request for its newest review."}, getReview),
		newTool(toolInfo{Name: "list_findings", Scope: "reviews:read", Title: "List findings",
			Description: "Lists findings of a repository, those first that were found last. Open ones unless a state is asked for. Narrow " +
				"it by pull request, file, severity, category or rule.", Input: findingEnums}, listFindings),
		newTool(toolInfo{Name: "explain_finding", Scope: "reviews:read", Title: "Explain a finding",
			Description: "Returns everything about one finding: explanation, evidence, suggested change, and later decisions of runs and " +
				"people about it."}, explainFinding),
		newTool(toolInfo{Name: "list_suppressions", Scope: "reviews:read", Title: "List suppressions",
			Description: "Lists what later reviews of a repository leave out, or would leave out if a person accepted it. Proposed ones " +
				"unless a state is asked for.", Input: suppressionEnums}, listSuppressions),
		newTool(toolInfo{Name: "list_calibration", Scope: "reviews:read", Title: "List calibration",
			Description: "Says for each category of findings of a repository how often people took or refused them, and how much " +
				"confidence a comment of Medium severity needs because of that."}, listCalibration),
		newTool(toolInfo{Name: "list_static_analysis", Scope: "reviews:read", Title: "List static-analysis runs",
			Description: "Lists runs of static analysis of a repository, newest first: the analysers with their numbers of results, and the " +
				"results that a review could not use, with the reason. With a review, those that it used."}, listStaticAnalysis),
		newTool(toolInfo{Name: "get_ci_analysis", Scope: "reviews:read", Title: "Get the analysis of a failed job",
			Description: "Says why a job of a pull request's build failed: cause, quotations from log and change, relation to the change, " +
				"and a suggestion. Name an analysis for its log, too, or a pull request for its newest analyses."}, getCIAnalysis),
		newTool(toolInfo{Name: "list_rules", Scope: "rules:read", Title: "List rules",
			Description: "Lists the rules that a review of a repository applies, " +
				"in its order; with a path, those that are about that file. Read it before writing code there."}, listRules),
		newTool(toolInfo{Name: "list_proposed_rules", Scope: "rules:read", Title: "List proposed rules",
			Description: "Lists rules of a repository that were proposed from replies to findings; no review reads them before a person " +
				"accepts them. Those that wait for a decision unless a state is asked for.", Input: proposalEnums}, listProposedRules),
		newTool(toolInfo{Name: "search_code", Scope: "code:read", Title: "Search code",
			Description: "Finds lines of a repository at the newest commit of " +
				"its default branch that hold a text, match an expression, or have a symbol. Lines that look like the definition of the " +
				"symbol come first. Code that is not pushed is not there.", Within: 2 * time.Minute}, searchCode),
		newTool(toolInfo{Name: "review_diff", Scope: "diffs:review", Title: "Review a diff",
			Description: "Reviews a change that is not pushed yet, as a pull request would be: with the rules, the models and the budget " +
				"of the repository. It takes minutes and costs money. Nothing is published or kept. The diff is against a commit that is pushed.",
			Costs: true, Within: LongestCall}, reviewDiff),
		newTool(toolInfo{Name: "policy_preview", Scope: "rules:read", Title: "Preview a policy",
			Description: "Says what the reviews that were published last would have looked like if the repository's policy were changed. " +
				"Nothing is changed. Needs the role that manages the repository."}, policyPreview),
		newTool(toolInfo{Name: "rerun_review", Title: "Review again",
			Description: "Starts one more review of the head that a pull request has now. It costs money, and what it finds is published " +
				"on the code host. Needs the role that manages the repository.", Scope: writeScope}, rerunReview),
		newTool(toolInfo{Name: "fix_finding", Title: "Fix a finding",
			Description: "Starts a fix run for an open finding: a model proposes an edit, which is delivered on the code host only if every " +
				"check passes. It costs money. Do it only where a person has asked for exactly this. Needs the role that manages the " +
				"repository.", Scope: writeScope, Input: fixEnums}, fixFinding),
		newTool(toolInfo{Name: "dismiss_finding", Title: "Dismiss a finding",
			Description: "Dismisses an open finding with a reason; later reviews do not raise it again. Do it only where a person has " +
				"asked for exactly this. Needs the role that reviews in the repository.", Scope: writeScope, Destroys: true}, dismissFinding),
		newTool(toolInfo{Name: "decide_suppression", Title: "Decide on a suppression",
			Description: "Accepts or declines a proposed suppression; later reviews leave out what an accepted one covers. Do it only where " +
				"a person has asked for exactly this. Needs the role that manages the repository.", Scope: writeScope, Destroys: true,
			Input: decideEnums}, decideSuppression),
		newTool(toolInfo{Name: "decide_proposed_rule", Title: "Decide on a proposed rule",
			Description: "Accepts a proposed rule, as it is or in other words, which creates a rule of the repository; or declines it. Do it " +
				"only where a person has asked for exactly this. Needs the role that manages the repository.", Scope: writeScope, Destroys: true,
			Input: proposalDecisionEnums}, decideProposedRule),
		newTool(toolInfo{Name: "approve_output", Title: "Approve a review",
			Description: "Approves a finished review that waits, so that it is published on the code host. Do it only where a person has " +
				"asked for exactly this. Needs the role that reviews in the repository.", Scope: writeScope, Destroys: true}, approveOutput),
		newTool(toolInfo{Name: "reject_output", Title: "Reject a review",
			Description: "Rejects a finished review that waits: nothing of it is published. Do it only where a person has asked for " +
				"exactly this. Needs the role that reviews in the repository.", Scope: writeScope, Destroys: true}, rejectOutput),
	}
}

// Repository is a repository as tools show it.
type Repository struct {
	ID            string `json:"id"`
	Name          string `json:"name" jsonschema:"owner/name"`
	DefaultBranch string `json:"defaultBranch"`
	Private       bool   `json:"private"`
	State         string `json:"state" jsonschema:"active, or disconnected: nothing new is reviewed"`
	Role          string `json:"role" jsonschema:"What the owner of the token may do there: view, review or manage"`
}

// Repositories is a page of repositories.
type Repositories struct {
	Items      []Repository `json:"items"`
	NextCursor string       `json:"nextCursor,omitempty" jsonschema:"For the next page; absent on the last one"`
}

// RepositoriesWanted is the input of list_repositories.
type RepositoriesWanted struct {
	Name string `json:"name,omitempty" jsonschema:"Only those whose owner/name has this in it, in any letter case"`
	Paging
}

func listRepositories(ctx context.Context, v *visit, in RepositoriesWanted) (Repositories, string, error) {
	out := Repositories{Items: []Repository{}}
	limit, err := in.size()
	if err != nil {
		return out, "", err
	}
	f := store.RepositoryFilter{Name: in.Name, Limit: limit + 1}
	if in.Cursor != "" {
		at, err := parts(in.Cursor, 3)
		if err != nil {
			return out, "", err
		}
		f.After = store.Repository{Owner: at[0], Name: at[1], ID: at[2]}
	}
	rows, roles, err := v.repositories(ctx, f)
	if err != nil {
		return out, "", err
	}
	if len(rows) > limit {
		rows = rows[:limit]
		last := rows[limit-1]
		out.NextCursor = cursor(last.Owner, last.Name, last.ID)
	}
	var b strings.Builder
	for _, r := range rows {
		shown := Repository{ID: r.ID, Name: v.line(r.Owner + "/" + r.Name), DefaultBranch: v.line(r.DefaultBranch), Private: r.Private,
			State: r.State, Role: roles.On(r.ID).String()}
		out.Items = append(out.Items, shown)
		b.WriteString(shown.Name + " (id " + r.ID + ", " + shown.Role + ")\n")
	}
	text := pluralize(len(rows), "repository.", "repositories.") + nextPageHint(out.NextCursor)
	if len(rows) > 0 {
		text += "\n" + fenced(b.String())
	}
	return out, text, nil
}

// repositories lists repositories that the caller may see, with the caller's roles.
func (v *visit) repositories(ctx context.Context, f store.RepositoryFilter) ([]store.Repository, auth.Roles, error) {
	roles, err := v.Auth.RepositoryRoles(ctx, v.Tenant, v.User.ID, v.Role)
	if err == nil {
		err = roles.Late()
	}
	if err != nil {
		return nil, roles, err
	}
	if !roles.Everywhere() {
		f.User = v.User.ID
	}
	rows, err := v.Store.RepositoriesPage(ctx, v.Tenant, f)
	return rows, roles, err
}

// Place names a repository in the input of a tool.
type Place struct {
	Repository string `json:"repository" jsonschema:"Id of the repository, or its owner/name"`
}

// repository returns a repository in which the caller has a permission. For an act, the code host must have
// confirmed the role within the last minute. A repository that the caller may not see is reported like one
// that never existed. Errors: NotFound, Forbidden, Unavailable.
func (v *visit) repository(ctx context.Context, ref string, needs perm.Permission, acts bool) (store.Repository, error) {
	id := ref
	if strings.Contains(ref, "/") {
		var err error
		if id, err = v.named(ctx, ref); err != nil {
			return store.Repository{}, err
		}
	}
	if err := checkID(id); err != nil {
		return store.Repository{}, err
	}
	row, err := v.Store.Repository(ctx, v.Tenant, id)
	if err != nil {
		return row, err
	}
	role, err := v.Auth.RepositoryRole(ctx, v.Tenant, row, v.User.ID, v.Role, acts)
	if err != nil {
		return row, err
	}
	if role == perm.RepoNone {
		return row, errs.Absent()
	}
	callRecordIn(ctx).repository = row.ID
	if !(perm.Subject{SignedIn: true, Tenant: v.Role, Repository: role}).Allows(needs) {
		return row, errs.New(errs.Forbidden, "forbidden", "The role of the token's owner on the repository is too small for this: "+
			"it needs %s.", needs)
	}
	return row, nil
}

// named returns the id of a repository by owner/name, in any letter case, among those that the caller may see.
func (v *visit) named(ctx context.Context, name string) (string, error) {
	if len(name) > maxLine {
		return "", errs.Absent()
	}
	f := store.RepositoryFilter{Name: name, Limit: 100}
	for range 10 { // up to a thousand names that contain this one
		rows, _, err := v.repositories(ctx, f)
		if err != nil {
			return "", err
		}
		for _, r := range rows {
			if strings.EqualFold(r.Owner+"/"+r.Name, name) {
				return r.ID, nil
			}
		}
		if len(rows) < f.Limit {
			break
		}
		f.After = rows[len(rows)-1]
	}
	return "", errs.Absent()
}

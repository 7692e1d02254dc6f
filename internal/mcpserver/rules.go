package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/assay-dev/assay/internal/diff"
	"github.com/assay-dev/assay/internal/dryrun"
	"github.com/assay-dev/assay/internal/field"
	"github.com/assay-dev/assay/internal/perm"
	"github.com/assay-dev/assay/internal/policy"
	"github.com/assay-dev/assay/internal/review/engine"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tenant"
)

// Rule is a rule as tools list it. Its texts were written by people of the tenant, or come from a file of the
// repository.
type Rule struct {
	ID          string   `json:"id"`
	Title       string   `json:"title"`
	Instruction string   `json:"instruction"`
	Severity    string   `json:"severity"`
	Mandatory   bool     `json:"mandatory" jsonschema:"It applies under every policy of categories"`
	Origin      string   `json:"origin" jsonschema:"tenant, repository, or guideline: a sentence of a file of the default branch"`
	File        string   `json:"file,omitempty" jsonschema:"Of a guideline"`
	Paths       []string `json:"paths" jsonschema:"Patterns of the files that it is about; none: all"`
	Languages   []string `json:"languages"`
	CheckedBy   string   `json:"checkedBy" jsonschema:"model, or pattern: a pattern checks it, and no model is asked"`
}

// Rules is a page of rules.
type Rules struct {
	Items      []Rule `json:"items" jsonschema:"In the order in which a review reads them"`
	NextCursor string `json:"nextCursor,omitempty" jsonschema:"For the next page; absent on the last one"`
}

// RulesWanted is the input of list_rules.
type RulesWanted struct {
	Place
	Path string `json:"path,omitempty" jsonschema:"Only rules that are about this file, such as shop/cart.go"`
	Paging
}

func listRules(ctx context.Context, v *visit, in RulesWanted) (Rules, string, error) {
	out := Rules{Items: []Rule{}}
	limit, err := in.size()
	if err == nil && in.Path != "" && (len(in.Path) > 4096 || diff.CheckPath(in.Path) != nil) {
		err = field.Wrong("/path", "must be the path of a file, from the top of the repository")
	}
	if err != nil {
		return out, "", err
	}
	at, err := v.repository(ctx, in.Repository, perm.RepoView, false)
	if err != nil {
		return out, "", err
	}
	all, err := v.effective(ctx, at, in.Path)
	if err != nil {
		return out, "", err
	}
	from := 0
	if in.Cursor != "" {
		after, err := parts(in.Cursor, 1)
		if err != nil {
			return out, "", err
		}
		for from < len(all) && all[from].ID != after[0] {
			from++
		}
		if from == len(all) {
			return out, "", badCursor()
		}
		from++
	}
	all = all[from:]
	if len(all) > limit {
		all = all[:limit]
		out.NextCursor = cursor(all[limit-1].ID)
	}
	out.Items = append(out.Items, all...)
	text := pluralize(len(all), "rule.", "rules.") + nextPageHint(out.NextCursor)
	if len(all) > 0 {
		text += "\n" + fenced(rulesMarkdown(all))
	}
	return out, text, nil
}

func rulesMarkdown(all []Rule) string {
	var b strings.Builder
	for _, r := range all {
		fmt.Fprintf(&b, "- %s (%s, %s", r.Title, r.Severity, r.Origin)
		if len(r.Paths) > 0 {
			b.WriteString(", " + strings.Join(r.Paths, " "))
		}
		b.WriteString("): " + r.Instruction + "\n")
	}
	return b.String()
}

// effective returns the rules that a review applies; with a path, only those about that file.
func (v *visit) effective(ctx context.Context, at store.Repository, path string) ([]Rule, error) {
	rows, _, err := v.Service.Tenant.EffectiveRules(ctx, v.Tenant, at.ID)
	if err != nil {
		return nil, err
	}
	out := []Rule{}
	for _, r := range rows {
		concerns := engine.Rule{Paths: r.Paths, Except: r.ExceptPaths, Languages: r.Languages}
		if !r.Active || path != "" && !concerns.Concerns(path, diff.Language(path)) {
			continue
		}
		out = append(out, v.rule(r))
	}
	return out, nil
}

func (v *visit) rule(r tenant.EffectiveRule) Rule {
	paths := []string{}
	for _, p := range r.Paths {
		paths = append(paths, v.line(p))
	}
	return Rule{ID: r.ID, Title: v.line(r.Title), Instruction: v.text(r.Instruction), Severity: r.Severity, Mandatory: r.Mandatory,
		Origin: r.Origin, File: v.line(r.File), Paths: paths, Languages: append([]string{}, r.Languages...),
		CheckedBy: r.CheckedBy}
}

// PolicyWanted is the input of policy_preview.
type PolicyWanted struct {
	Place
	Changes map[string]any `json:"changes" jsonschema:"What would be changed of the repository's policy, such as {\"minSeverity\": \"high\", \"maxInlineComments\": 5}: the names and values of the body of PUT …/policy"`
	Reviews int            `json:"reviews,omitempty" jsonschema:"How many of the reviews that were published last to look at, 1 to 50; 20 where absent"`
}

// Preview compares past reviews with what other settings would have produced.
type Preview struct {
	Settings []Changed  `json:"settings" jsonschema:"What would be another value"`
	Reviews  []Imagined `json:"reviews" jsonschema:"Reviews that would be different, newest first"`
	Looked   int        `json:"looked" jsonschema:"How many reviews were looked at"`
	Skipped  int        `json:"skipped,omitempty" jsonschema:"Reviews that are too old to tell"`
	Added    int        `json:"added"`
	Dropped  int        `json:"dropped"`
	Moved    int        `json:"moved"`
	More     int        `json:"more,omitempty" jsonschema:"How many changes are not listed: at most 200 are, of the newest reviews. Fewer reviews list all of theirs"`
}

// maxImagined bounds the findings of a preview (design choice).
const maxImagined = 200

// Changed is a setting with another value.
type Changed struct {
	Name  string `json:"name"`
	Known string `json:"known" jsonschema:"exact, partly or unknown: how well it is known what that changes"`
	Why   string `json:"why,omitempty"`
}

// Imagined is a past review under the other settings.
type Imagined struct {
	Run         string  `json:"run"`
	PullRequest int     `json:"pullRequest"`
	Changes     []Moved `json:"changes"`
}

// Moved is a finding that would appear elsewhere, or not at all.
type Moved struct {
	Severity string `json:"severity"`
	Path     string `json:"path"`
	Title    string `json:"title"`
	From     string `json:"from" jsonschema:"inline, summary or stored"`
	To       string `json:"to" jsonschema:"inline, summary, stored or none"`
	Why      string `json:"why,omitempty"`
}

func policyPreview(ctx context.Context, v *visit, in PolicyWanted) (Preview, string, error) {
	out := Preview{Settings: []Changed{}, Reviews: []Imagined{}}
	at, err := v.repository(ctx, in.Repository, perm.RepoManage, false)
	if err != nil {
		return out, "", err
	}
	doc, err := v.changed(ctx, at, in.Changes)
	if err != nil {
		return out, "", err
	}
	got, err := v.DryRun.WhatIfPolicy(ctx, v.Tenant, at.ID, doc, in.Reviews)
	if err != nil {
		return out, "", err
	}
	out.Looked, out.Skipped, out.Added, out.Dropped, out.Moved = got.Totals.Reviews, got.Skipped, got.Totals.Added, got.Totals.Dropped,
		got.Totals.Rerouted
	for _, s := range got.Settings {
		out.Settings = append(out.Settings, Changed{s.Name, s.Known, s.Why})
	}
	out.Reviews, out.More = v.imagined(got.Reviews)
	text := fmt.Sprintf("Of %s, %d would differ: %d findings would be shown that are not, %d would not be shown any more, %d would "+
		"be shown elsewhere.",
		pluralize(out.Looked, "review", "reviews"), got.Totals.Changed, out.Added, out.Dropped, out.Moved)
	if out.More > 0 {
		text += fmt.Sprintf(" %s not listed: ask for fewer reviews.", pluralize(out.More, "of them is", "of them are"))
	}
	return out, text, nil
}

// imagined returns the changed reviews, and the number of findings that the bound leaves out.
func (s *Service) imagined(all []dryrun.WhatIfReview) (out []Imagined, more int) {
	out, room := []Imagined{}, maxImagined
	for _, r := range all {
		one := Imagined{Run: r.RunID, PullRequest: r.Number, Changes: []Moved{}}
		for _, list := range [][]dryrun.WhatIfMoved{r.Added, r.Dropped, r.Rerouted} {
			for _, m := range list[:min(len(list), room)] {
				one.Changes = append(one.Changes, Moved{m.Finding.Severity, s.line(m.Finding.Path), s.line(m.Finding.Title), m.From, m.To, m.Why})
			}
			more += max(len(list)-room, 0)
			room -= min(len(list), room)
		}
		if len(one.Changes) > 0 {
			out = append(out, one)
		}
	}
	return out, more
}

// changed returns a repository's policy with some changes. It validates them against the same schema as a
// request body of the HTTP interface.
func (v *visit) changed(ctx context.Context, at store.Repository, changes map[string]any) (policy.RepositoryPolicyUpdate, error) {
	var out policy.RepositoryPolicyUpdate
	registry := huma.NewMapRegistry("#/", huma.DefaultSchemaNamer)
	schema := huma.SchemaFromType(registry, reflect.TypeFor[policy.RepositoryPolicyUpdate]())
	res := huma.ValidateResult{}
	huma.Validate(registry, schema, huma.NewPathBuffer([]byte("changes"), 0), huma.ModeWriteToServer, changes, &res)
	if len(res.Errors) > 0 {
		return out, field.Wrong("/changes", "must be settings of a repository's policy as the interface has them: at least one name or "+
			"value is not")
	}
	row, err := v.Store.Document(ctx, v.Tenant, at.ID, store.SettingPolicy)
	if err != nil {
		return out, err
	}
	if row.Version > 0 {
		out = store.FromJSON[policy.RepositoryPolicyUpdate](row.Body)
	}
	raw, err := json.Marshal(changes)
	if err != nil {
		return out, err
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	if d.Decode(&out) != nil {
		return out, field.Wrong("/changes", "must be settings of a repository's policy")
	}
	return out, nil
}

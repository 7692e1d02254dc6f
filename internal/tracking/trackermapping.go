package tracking

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/internal/audit"
	"github.com/assay-dev/assay/internal/clip"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/errs"
	"github.com/assay-dev/assay/internal/secret"
	"github.com/assay-dev/assay/internal/store"
	"github.com/assay-dev/assay/internal/tracker"
)

// The bounds of a trial of a mapping (design choices).
const (
	mappingProjects = 10               // projects
	mappingIssues   = 5                // issues of each, most recently changed first
	mappingTime     = 25 * time.Second // all requests together, below the 30 s of an interface request
)

// MappingTrial shows the effect of a mapping on real issues. Titles, states and criteria are untrusted
// text.
type MappingTrial struct {
	Checks   []MappingCheck   `json:"checks" doc:"In short, one line for each project that was looked at, and one for what was not"`
	Projects []MappingProject `json:"projects" doc:"At most 10"`
	More     int              `json:"more" doc:"How many projects of the connection were not looked at"`
	Complete bool             `json:"complete" doc:"False: the time was over before all of these projects were read"`
}

// MappingCheck is one result line of a trial.
type MappingCheck struct {
	Name    string `json:"name" doc:"The key of a project, or projects for the mapping of all projects"`
	OK      bool   `json:"ok"`
	Message string `json:"message"`
}

// MappingProject is a project of a trial.
type MappingProject struct {
	Key     string         `json:"key"`
	Name    string         `json:"name"`
	Issues  []MappingIssue `json:"issues" doc:"The five that were changed last"`
	Problem string         `json:"problem,omitempty" doc:"Why its issues could not be read"`
}

// MappingIssue is an issue as the mapping reads it.
type MappingIssue struct {
	Key      string             `json:"key"`
	URL      string             `json:"url"`
	Title    string             `json:"title"`
	State    string             `json:"state" doc:"As the tracker names it"`
	Done     bool               `json:"done" doc:"By doneStates of the mapping or, where that is empty, as the tracker counts it"`
	Source   string             `json:"source" enum:"none,field,heading" doc:"Where the acceptance criteria stand"`
	Heading  string             `json:"heading,omitempty" doc:"The heading as it is written, where they stand below one"`
	Criteria []MappingCriterion `json:"criteria" doc:"At most 30"`
	More     int                `json:"more" doc:"Criteria beyond these, which are not judged"`
}

// MappingCriterion is an acceptance criterion.
type MappingCriterion struct {
	Text string `json:"text"`
	Form string `json:"form" enum:"box,scenario,numbered,bulleted,row,paragraph" doc:"How it is written"`
}

// want returns the issue fields that the mapping needs.
func (m TrackerMapping) want() tracker.Want {
	if m.AcceptanceCriteria == nil {
		return tracker.Want{}
	}
	return tracker.Want{CriteriaField: m.AcceptanceCriteria.Field}
}

// TryMapping applies a connection's mapping to the newest issues of each project, without storing them.
// Errors: NotFound; Conflict for a connection that is switched off or of a kind that is not built;
// Unavailable if the tracker does not list its projects.
func (s *Service) TryMapping(ctx context.Context, t domain.Tenant, id string) (MappingTrial, error) {
	row, err := s.usableTracker(ctx, t, id)
	if err != nil {
		return MappingTrial{}, err
	}
	port, token, err := s.openTracker(ctx, t, row)
	if err != nil {
		return MappingTrial{}, err
	}
	bounded, cancel := context.WithTimeout(ctx, mappingTime)
	defer cancel()
	all, err := port.Projects(bounded)
	if ctx.Err() != nil {
		return MappingTrial{}, ctx.Err()
	}
	if err != nil {
		a := trackerAnswer{failed: err, words: trackerWords(err, token), oauth: row.AuthKind == authOAuth}
		_, why := a.state()
		return MappingTrial{}, errs.Wrap(err, errs.Unavailable, "tracker_unavailable", "%s", why)
	}
	out := trial{mapping: store.FromJSON[TrackerMapping](row.Mapping), port: port, token: token}.of(bounded,
		chosenProjects(all, store.FromJSON[[]string](row.Projects)))
	if ctx.Err() != nil {
		return MappingTrial{}, ctx.Err()
	}
	return out, s.Audit.Do(ctx, func(context.Context) (audit.Act, error) {
		return audit.Act{Tenant: t, Action: "tracker-connection.validate-mapping", Target: s.trackerOfRow(row).target()}, nil
	})
}

// chosenProjects returns the projects of a connection: the named ones, or all. A named project that is not
// listed is read too, because lists are bounded.
func chosenProjects(all []tracker.Project, names []string) []tracker.Project {
	if len(names) == 0 {
		return all
	}
	out := make([]tracker.Project, len(names))
	for i, name := range names {
		out[i] = tracker.Project{Key: name, Name: name}
		if at := slices.IndexFunc(all, func(p tracker.Project) bool { return strings.EqualFold(p.Key, name) }); at >= 0 {
			out[i] = all[at]
		}
	}
	return out
}

// trial tries a mapping.
type trial struct {
	mapping TrackerMapping
	port    tracker.Reader
	token   secret.Secret
}

// of reads projects until the context's deadline.
func (r trial) of(ctx context.Context, projects []tracker.Project) MappingTrial {
	tried := projects[:min(len(projects), mappingProjects)]
	out := MappingTrial{Projects: []MappingProject{}, More: len(projects) - len(tried), Complete: true}
	for _, p := range tried {
		one := MappingProject{Key: r.plain(p.Key, tracker.MaxKey), Name: r.plain(p.Name, maxHostWords), Issues: []MappingIssue{}}
		issues, err := r.port.Newest(ctx, p.Key, mappingIssues, r.mapping.want())
		if ctx.Err() != nil {
			out.Complete = false
			break
		}
		if err != nil {
			a := trackerAnswer{failed: err, words: trackerWords(err, r.token)}
			_, one.Problem = a.state()
			if tracker.ClassOf(err) == tracker.ClassNotFound {
				one.Problem = "The project is not there, or the account does not see it."
			}
		}
		for _, issue := range issues[:min(len(issues), mappingIssues)] {
			one.Issues = append(one.Issues, r.read(issue))
		}
		out.Projects = append(out.Projects, one)
	}
	out.Checks = r.checks(out, len(tried))
	return out
}

func (r trial) plain(text string, most int) string { return clip.Bytes(Line(text, r.token), most) }

// read applies the mapping to an issue.
func (r trial) read(i tracker.Issue) MappingIssue {
	out := MappingIssue{Key: r.plain(i.Key, tracker.MaxKey), URL: r.plain(i.URL, maxMessage), Title: r.plain(i.Title, maxMessage),
		State: r.plain(i.State, maxHostWords), Done: i.DoneBy(r.mapping.DoneStates), Source: "none", Criteria: []MappingCriterion{}}
	if r.mapping.AcceptanceCriteria == nil {
		return out
	}
	found := tracker.FindCriteria(i, r.mapping.AcceptanceCriteria.Heading)
	if found.Source != tracker.CriteriaNowhere {
		out.Source, out.Heading, out.More = string(found.Source), r.plain(found.Heading, maxHostWords), found.More
	}
	for _, c := range found.List {
		out.Criteria = append(out.Criteria, MappingCriterion{Text: r.plain(c.Text, maxCriterion), Form: string(c.Form)})
	}
	return out
}

// maxCriterion bounds a criterion in an answer, in bytes; it has at most [tracker.MaxCriterion]
// characters.
const maxCriterion = 4 * tracker.MaxCriterion

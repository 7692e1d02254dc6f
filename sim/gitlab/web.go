package gitlab

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/browse"
	"github.com/assay-dev/assay/sim/host/page"
)

// site serves the pages for people. Everybody sees everything but drafts.
type site struct {
	s *Server
	r *page.Renderer
}

// pageHandler serves the pages for people, below the path of the instance.
func (s *Server) pageHandler() (http.Handler, error) {
	r, err := page.New(page.Brand{Name: "Simulated GitLab", Real: "gitlab.com", PullWord: "-/merge_requests", ListWord: "-/merge_requests", FilesWord: "diffs",
		Noun: "merge request", Sign: "!", Root: s.below})
	if err != nil {
		return nil, err
	}
	return &site{s: s, r: r}, nil
}

// visit is one request for a page.
type visit struct {
	*site
	browse.Visit
	root    string // the path of the instance
	project *project
	rest    []string // path segments behind "/-/"
}

// ServeHTTP finds the page. What belongs to a project stands behind "/-/" (docs.gitlab.com/development/routing).
func (t *site) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	v := &visit{site: t, Visit: browse.Visit{W: w, R: req, Render: t.r, Log: t.s.log}, root: t.s.below()}
	if !v.Reads() {
		return
	}
	parts := host.Segments(strings.TrimPrefix(req.URL.Path, v.root))
	switch {
	case parts[0] == "_static":
		page.Style(w)
		return
	case parts[0] == "_avatars" && len(parts) == 2:
		v.avatar(strings.TrimSuffix(parts[1], ".svg"))
		return
	}
	full := parts
	if at := slices.Index(parts, "-"); at >= 0 {
		full, v.rest = parts[:at], parts[at+1:]
	}
	path := strings.Join(full, "/")
	t.s.mu.Lock()
	v.project = t.s.st.project(path)
	t.s.mu.Unlock()
	switch {
	case v.project != nil:
		v.inProject()
	case len(v.rest) == 0:
		v.index(path)
	default:
		v.Missing()
	}
}

func (v *visit) avatar(id string) {
	n, _ := strconv.ParseInt(id, 10, 64) // 0 is nobody
	v.s.mu.Lock()
	login, bot := "GitLab", true
	if u := v.s.st.Users[n]; u != nil {
		login, bot = host.OrElse(u.Name, u.Login), u.Bot
	}
	v.s.mu.Unlock()
	page.Avatar(v.W, login, bot)
}

// index lists the projects of a group with its subgroups or of a person, or all.
func (v *visit) index(account string) {
	v.s.mu.Lock()
	m := page.Index{Head: page.Head{Title: host.OrElse(account, "Projects")}, Account: account}
	for _, p := range slices.SortedFunc(maps.Values(v.s.st.Projects), func(a, b *project) int { return cmp.Compare(a.FullPath(), b.FullPath()) }) {
		if account == "" || strings.EqualFold(p.Namespace, account) || strings.HasPrefix(strings.ToLower(p.Namespace), strings.ToLower(account)+"/") {
			m.Repos = append(m.Repos, describeProject(p))
		}
	}
	known := account == "" || v.s.st.user(account) != nil || v.s.st.group(account) != nil
	v.s.mu.Unlock()
	if !known {
		v.Missing()
		return
	}
	v.Show("index", m)
}

func describeProject(p *project) page.Repo {
	o := page.Repo{Owner: p.Namespace, Name: p.Path, Description: p.Description, DefaultBranch: p.DefaultBranch, Private: p.Private}
	for _, m := range p.MRs {
		if m.State == "opened" {
			o.OpenPulls++
		}
	}
	return o
}

func (v *visit) head(title, tab string) page.Head {
	v.s.mu.Lock()
	defer v.s.mu.Unlock()
	r := describeProject(v.project)
	return page.Head{Title: title + " · " + v.project.FullPath(), Repo: &r, Tab: tab}
}

// code are the pages of the project's code.
func (v *visit) code() browse.Code {
	v.s.mu.Lock()
	full, name := v.project.FullPath(), v.project.Path
	v.s.mu.Unlock()
	return browse.Code{Visit: v.Visit, Repo: browse.Repo{Git: v.project.git, Path: v.root + "/" + full + "/-", Name: name}, Head: v.head,
		Open: func() []page.PullRow { open, _ := v.rows(); return open }}
}

// inProject finds the page of a project.
func (v *visit) inProject() {
	kind, arg := "", ""
	if len(v.rest) > 0 {
		kind = v.rest[0]
	}
	if len(v.rest) > 1 {
		arg = v.rest[1]
	}
	switch {
	case kind == "":
		v.code().Folder(v.project.DefaultBranch, "")
	case kind == "merge_requests" && arg == "":
		v.list()
	case kind == "merge_requests":
		v.mergeRequest(arg, strings.Join(v.rest[2:], "/"))
	case kind == "commit" && arg != "":
		v.code().One(arg)
	case kind == "jobs" && arg != "":
		v.job(arg)
	case kind == "tree" || kind == "blob" || kind == "raw":
		v.code().At(kind, v.rest[1:])
	default:
		v.Missing()
	}
}

// person describes an account; Server.mu is held.
func (v *visit) person(id int64) page.User {
	u := v.s.st.Users[id]
	if u == nil {
		return page.User{Login: v.s.st.login(id)}
	}
	return page.User{Login: u.Login, Name: u.Name, ID: u.ID, Bot: u.Bot}
}

// maxLog bounds what the page of a job shows of its log: the end.
const maxLog = 64 << 10

// job shows a job of a pipeline with its log.
func (v *visit) job(id string) {
	n, _ := strconv.ParseInt(id, 10, 64) // 0 names nothing
	v.s.mu.Lock()
	run, j := host.FindJob(v.project.Pipelines, n)
	var m page.Run
	if j != nil {
		m = page.Run{Check: v.jobCheck(run, j), SHA: run.SHA}
		if text := j.Text(); !j.Gone && len(text) > 0 {
			text = text[max(0, len(text)-maxLog):]
			m.Text = []page.Part{{HTML: page.Log(text)}}
		}
	}
	v.s.mu.Unlock()
	if j == nil {
		v.Missing()
		return
	}
	m.Head = v.head(m.Check.Name, "code")
	v.Show("run", m)
}

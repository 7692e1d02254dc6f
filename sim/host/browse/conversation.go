package browse

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
	"github.com/assay-dev/assay/sim/host/page"
	"github.com/assay-dev/assay/sim/host/patch"
)

// Repository is a repository as its pages show it.
type Repository struct {
	// About describes the repository; [Site] counts its open pull requests.
	About page.Repo
	// Git has the repository's objects.
	Git *gitrepo.Repo
	// Pulls are all pull requests, newest first.
	Pulls []*Pull
	// Run returns the page of a check by its path below the repository, and nil if the check does not exist; a nil Run has no pages.
	Run func(kind, id string) *page.Run
}

// Pull returns a pull request; nil if the number does not exist.
func (r *Repository) Pull(number int) *Pull {
	i := slices.IndexFunc(r.Pulls, func(p *Pull) bool { return p.Number == number })
	if i < 0 {
		return nil
	}
	return r.Pulls[i]
}

// described returns the description with the number of open pull requests.
func (r *Repository) described() page.Repo {
	out := r.About
	for _, p := range r.Pulls {
		if p.IsOpen() {
			out.OpenPulls++
		}
	}
	return out
}

// Pull is a pull request as a host describes it to its pages.
type Pull struct {
	page.Pull // without diff and conversation; State is Open, Merged or Closed
	Draft     bool
	// From is a commit of the target branch. The changes since the merge base of From and HeadSHA are shown.
	From string
	Link string
	// Opened is the time of the opening, and Reviews the number of reviews in lists.
	Opened  time.Time
	Reviews int
	// Talk returns the conversation. The host's lock is not held.
	Talk func(context.Context) Conversation
}

// shown returns the page without diff and conversation.
func (p *Pull) shown() page.Pull {
	out := p.Pull
	if p.Draft && p.IsOpen() {
		out.State = "Draft"
	}
	return out
}

// row returns the entry of a list.
func (p *Pull) row() page.PullRow {
	out := page.PullRow{Number: p.Number, Title: p.TitleText, State: p.shown().State, Author: p.Author, Labels: p.Labels, Opened: p.Opened,
		Reviews: p.Reviews, Link: p.Link}
	for _, k := range p.Checks {
		out.Check = Worse(out.Check, k.State)
	}
	return out
}

// Conversation is what people and programs wrote about a pull request.
type Conversation struct {
	// Opening is the description; nil shows none.
	Opening *Said
	Talks   []Talk
	Events  []page.Event
	Reviews []Review
}

// Talk is a comment with its answers.
type Talk struct {
	// Place is nil for comments of the conversation, which are shown one by one.
	Place    *Place
	ClosedBy string
	// Review is the id of the review that shows the thread; 0 shows the thread by itself.
	Review int64
	// Suggests reports whether the first comment has a change that a person can apply.
	Suggests bool
	Said     []Said
}

// Said is a comment. Its Body is rendered from Text unless the host has set it.
type Said struct {
	page.Comment
	ID   int64
	Text string
}

// Review is a review with its summary.
type Review struct {
	page.Review // without Body and Threads
	ID          int64
	Text        string
}

// Place is a range of lines of a file. First and Last are 0 for a comment on the file as a whole.
type Place struct {
	Path, Side  string
	First, Last int
	// Now is the range in the present diff. [Place.Stay] sets it on hosts that do not move comments.
	Now      [2]int
	Outdated bool
	// From and At are the commits of the diff in which the comment was written. Hunk is that part of the diff, if the host keeps it.
	From, At, Hunk string
}

// Stay sets the present range: that of the writing if at is the commit at which the comment was written, else none.
func (p *Place) Stay(head, at string) *Place {
	p.Now, p.Outdated = [2]int{p.First, p.Last}, head != at
	return p
}

// covers reports whether a line of the diff in which the comment was written is in its range.
func (p *Place) covers(l page.DiffLine) bool { return Covers(p.Side, p.First, p.Last)(l) }

// lines returns the lines of the hunk in which the comment was written, or nil for a line outside the diff.
func (p *Place) lines(ctx context.Context, git *gitrepo.Repo) []page.DiffLine {
	if p.Hunk != "" {
		if hunk, err := patch.ParseExcerpt(p.Hunk); err == nil {
			return HunkLines(p.Path, hunk.Lines)
		}
		return nil
	}
	if p.From == "" || p.Last == 0 {
		return nil
	}
	d, err := git.Diff(ctx, p.From, p.At)
	if err != nil {
		return nil
	}
	if f := d.Find(p.Path); f != nil {
		if h, _, shown := patch.Find(f.Hunks, p.Side, p.Last); shown {
			return HunkLines(f.Path, f.Hunks[h].Lines)
		}
	}
	return nil
}

// thread returns the thread of a talk that has a place.
func (c code) thread(p *Pull, t *Talk) page.Thread {
	at := t.Place
	out := page.Thread{First: t.Said[0].ID, Path: at.Path, StartLine: at.First, Line: at.Last, Outdated: at.Outdated, ResolvedBy: t.ClosedBy,
		Link: p.Link + "/" + c.site.Brand.FilesWord + "#" + Anchor(at.Path)}
	if at.Now[1] != 0 {
		out.StartLine, out.Line = at.Now[0], at.Now[1]
	}
	if t.Suggests && p.IsOpen() {
		out.Applies = out.First
	}
	lines := at.lines(c.r.Context(), c.Git)
	out.Excerpt = Excerpt(lines, at.covers)
	marked := slices.DeleteFunc(slices.Clone(lines), func(l page.DiffLine) bool { return !at.covers(l) })
	for i := range t.Said {
		out.Comments = append(out.Comments, c.comment(&t.Said[i], at.Path, marked))
	}
	return out
}

// comment returns a comment with its rendered text. marked are the lines that it is about.
func (c code) comment(s *Said, path string, marked []page.DiffLine) page.Comment {
	out := s.Comment
	if out.Body == nil && strings.TrimSpace(s.Text) != "" {
		out.Body = c.site.Render(s.Text, path, marked)
	}
	return out
}

// items returns the conversation in the order of time.
func (c code) items(p *Pull) []page.Item {
	all := p.Talk(c.r.Context())
	var list Timeline
	threads := map[int64][]page.Thread{}
	for i := range all.Talks {
		t := &all.Talks[i]
		if t.Place == nil {
			for j := range t.Said {
				k := c.comment(&t.Said[j], "", nil)
				list.Add(k.At, page.Item{Comment: &k})
			}
			continue
		}
		if shown := c.thread(p, t); t.Review != 0 {
			threads[t.Review] = append(threads[t.Review], shown)
		} else {
			list.Add(t.Said[0].At, page.Item{Thread: &shown})
		}
	}
	for i := range all.Events {
		list.Add(all.Events[i].At, page.Item{Event: &all.Events[i]})
	}
	for i := range all.Reviews {
		r := &all.Reviews[i]
		if r.Threads = threads[r.ID]; strings.TrimSpace(r.Text) != "" {
			r.Body = c.site.Render(r.Text, "", nil)
		}
		list.Add(r.At, page.Item{Review: &r.Review})
	}
	if all.Opening == nil {
		return list.Items()
	}
	first := c.comment(all.Opening, "", nil)
	return append([]page.Item{{Comment: &first}}, list.Items()...)
}

// placed returns the changed files with the threads below their lines.
func (c code) placed(p *Pull, files []gitrepo.File) []page.FileDiff {
	out := FileDiffs(files)
	all := p.Talk(c.r.Context())
	for i := range all.Talks {
		t := &all.Talks[i]
		if t.Place == nil {
			continue
		}
		at := slices.IndexFunc(out, func(f page.FileDiff) bool { return f.Path == t.Place.Path })
		if at < 0 {
			continue // its file is no longer changed; the conversation shows it
		}
		covers := Covers(t.Place.Side, t.Place.Now[0], t.Place.Now[1])
		place(&out[at], c.thread(p, t), func(l page.DiffLine) bool { return !t.Place.Outdated && covers(l) })
	}
	return out
}

// Plain renders a comment of a host without suggestions.
func Plain(text, _ string, _ []page.DiffLine) []page.Part {
	return []page.Part{{HTML: page.Markdown(text)}}
}

// LogPage returns the page of a job with the end of its log.
func LogPage(check page.Check, sha string, jobs ...*host.Job) *page.Run {
	m := &page.Run{Head: page.Head{Tab: "code"}, Check: check, SHA: sha}
	for _, j := range jobs {
		if text := j.Text(); !j.Gone && len(text) > 0 {
			m.Text = append(m.Text, page.Part{HTML: page.Log(text[max(0, len(text)-maxLog):])})
		}
	}
	return m
}

// maxLog bounds the end of a log that the page of a job shows.
const maxLog = 64 << 10

package gitlab

import (
	"context"
	"fmt"
	"slices"

	"github.com/assay-dev/assay/sim/host"
	"github.com/assay-dev/assay/sim/host/gitrepo"
	"github.com/assay-dev/assay/sim/host/patch"
	"github.com/assay-dev/assay/sim/host/simapi"
)

// Commit makes a commit on a branch (or moves the branch). It then sends Push Hook, and Merge Request Hook
// with oldrev for every open merge request with this branch as source.
func (s *Server) Commit(ctx context.Context, fullPath string, c simapi.CommitSpec) (simapi.Commit, error) {
	p, err := s.FindRepo(fullPath)
	if err != nil {
		return simapi.Commit{}, err
	}
	s.Mu.Lock()
	c.Author = host.OrElse(c.Author, "root")
	usual := p.DefaultBranch
	s.Mu.Unlock()
	s.GitMu.Lock()
	defer s.GitMu.Unlock()
	out, err := s.Advance(ctx, p.git, c, usual, s.author)
	if err != nil || out.SHA == out.Before {
		return out, err
	}
	return out, s.pushed(ctx, p, c.Branch, out.Before, out.SHA, c.Author)
}

// moved is a merge request with the new head after a push.
type moved struct {
	p      *project
	m      *mergeRequest
	target string
	from   version
	to     version
	hunks  map[string][]patch.Hunk // from the old head to the new one, by path
	diff   *gitrepo.Diff           // of the new version
}

// pushed updates merge requests and sends the events of a push. GitMu is held, Mu is not.
func (s *Server) pushed(ctx context.Context, p *project, branch, before, after, sender string) error {
	s.Mu.Lock()
	var list []moved
	for _, base := range s.st.Projects {
		for _, m := range base.MRs {
			if m.State == "opened" && base.GitID == p.GitID && m.Source == branch {
				list = append(list, moved{p: base, m: m, target: m.Target, from: *m.now()})
			}
		}
	}
	s.Mu.Unlock()
	info := s.describePush(ctx, p, branch, before, after)
	for i := range list {
		if err := list[i].computeVersion(ctx, p.git, after); err != nil {
			return err
		}
		if err := p.git.SetRef(ctx, fmt.Sprintf("refs/merge-requests/%d/head", list[i].m.IID), after); err != nil {
			return err
		}
	}
	s.Mu.Lock()
	defer s.Mu.Unlock()
	defer s.Touch()
	now := s.NowMicros()
	p.Updated = now
	u := s.st.addUser(sender, "", now)
	s.emitPush(p, info, u)
	slices.SortFunc(list, func(a, b moved) int { return a.m.IID - b.m.IID })
	for _, x := range list {
		x.to.ID, x.to.Created = s.st.ID("version"), now
		x.m.Versions = append(x.m.Versions, &x.to)
		x.m.Updated = now
		x.moveNotes()
		s.system(x.m, u.ID, "added 1 commit\n\n<ul><li>"+after[:8]+"</li></ul>")
		s.emitMR(x.p, x.m, "update", u, obj{"oldrev": x.from.Head}, obj{})
	}
	return nil
}

// computeVersion computes the new version of a merge request, and the changes between the old and the new head.
func (x *moved) computeVersion(ctx context.Context, git *gitrepo.Repo, head string) error {
	start, err := git.Resolve(ctx, "heads/"+x.target)
	if err != nil {
		return fmt.Errorf("target branch: %w", err)
	}
	base, err := git.MergeBase(ctx, start, head)
	if err != nil {
		return fmt.Errorf("merge base: %w", err)
	}
	x.to = version{Base: base, Start: start, Head: head}
	between, err := git.Diff(ctx, x.from.Head, head)
	if err != nil {
		return err
	}
	x.hunks = map[string][]patch.Hunk{}
	for _, f := range between.Files {
		x.hunks[host.OrElse(f.OldPath, f.Path)] = f.Hunks
		if f.Status == "removed" || f.Status == "renamed" {
			x.hunks[host.OrElse(f.OldPath, f.Path)] = nil
		}
	}
	x.diff, err = git.Diff(ctx, base, head)
	return err
}

// moveNotes moves the notes on lines that the push left unchanged. Others stay on their version
// (app/services/discussions/update_diff_position_service.rb of gitlab-org/gitlab).
func (x *moved) moveNotes() {
	for _, d := range x.m.Discussions {
		for _, n := range d.Notes {
			if n.Position == nil || n.Position.Head != x.from.Head || n.Position.NewLine == 0 {
				continue
			}
			hunks, touched := x.hunks[n.Position.NewPath]
			line := n.Position.NewLine
			if touched {
				if hunks == nil {
					continue
				}
				var kept bool
				if line, kept = patch.MapLine(hunks, line); !kept {
					continue
				}
			}
			f := x.diff.Find(n.Position.NewPath)
			if f == nil {
				continue
			}
			to := *n.Position
			to.Base, to.Start, to.Head, to.NewLine, to.OldLine, to.Range = x.to.Base, x.to.Start, x.to.Head, line, 0, nil
			if h, i, shown := patch.Find(f.Hunks, patch.Right, line); shown {
				to.OldLine = f.Hunks[h].Lines[i].Old
			} else {
				to.OldLine = oldLine(f.Hunks, line)
			}
			if n.Written == nil {
				n.Written = n.Position
			}
			n.Position = &to
		}
	}
}

// oldLine returns the old number of an unchanged line outside the hunks.
func oldLine(hunks []patch.Hunk, line int) int {
	out := line
	for _, h := range hunks {
		if h.NewStart > line {
			break
		}
		for _, l := range h.Lines {
			switch l.Kind {
			case '+':
				out--
			case '-':
				out++
			}
		}
	}
	return out
}

// system writes a system note about an event, like the host; Server.Mu is held.
func (s *Server) system(m *mergeRequest, who int64, text string) {
	now := s.NowMicros()
	n := &note{ID: s.st.ID("note"), User: who, Body: text, System: true, Created: now, Updated: now}
	m.Discussions = append(m.Discussions, &discussion{ID: host.RandomHex(20), Alone: true, Notes: []*note{n}})
}

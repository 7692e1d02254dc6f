package gitea

import (
	"errors"
	"maps"
	"net/http"
	"regexp"
	"strings"

	"github.com/assay-dev/assay/sim/host"
)

func getRepo(c *call) *reply {
	if c.repo == nil || c.s.st.role(c.user(), c.repo) == "none" {
		if c.repo = c.s.st.Repos[c.Number("repository_id")]; c.repo == nil || c.s.st.role(c.user(), c.repo) == "none" {
			return notFoundAt(c.s.Base)
		}
	}
	return ok(c.view().repository(c.repo, c.s.st.role(c.user(), c.repo)))
}

var validName = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9._-]{0,98}[A-Za-z0-9])?$`)

func editRepo(c *call, in struct {
	Name          *string `json:"name"`
	Description   *string `json:"description"`
	Private       *bool   `json:"private"`
	Archived      *bool   `json:"archived"`
	DefaultBranch *string `json:"default_branch"`
}) *reply {
	if in.Name != nil && !strings.EqualFold(*in.Name, c.repo.Name) {
		if err := c.s.st.renameRepo(c.repo, c.repo.Owner, *in.Name); err != nil {
			return host.JSON(http.StatusUnprocessableEntity, obj{"message": err.Error(), "url": c.s.Base + "/api/swagger"})
		}
	}
	host.Set(&c.repo.Description, in.Description)
	host.Set(&c.repo.Private, in.Private)
	host.Set(&c.repo.Archived, in.Archived)
	host.Set(&c.repo.DefaultBranch, in.DefaultBranch)
	c.repo.Updated = c.s.NowMicros()
	c.wrote("repository", "update", c.repo.ID, 0)
	return ok(c.view().repository(c.repo, c.s.st.role(c.user(), c.repo)))
}

// errRepoExists means that a name is taken.
var errRepoExists = errors.New("the repository with the same name already exists")

// renameRepo gives a repository another full name; the old one redirects to it.
func (st *state) renameRepo(r *repository, owner, name string) error {
	if !validName.MatchString(name) {
		return errors.New("name: must be letters, digits, dots and dashes")
	}
	to := st.user(owner)
	if to == nil {
		return errNoUser
	}
	if other := st.repo(owner, name); other != nil && other != r {
		return errRepoExists
	}
	st.Moved[strings.ToLower(r.FullName())] = r.ID
	delete(st.Moved, strings.ToLower(to.Login+"/"+name))
	r.Owner, r.Name = to.Login, name
	return nil
}

func deleteRepo(c *call) *reply {
	c.s.dropRepo(c.repo, c.actor.login)
	c.wrote("repository", "delete", c.repo.ID, 0)
	return host.NoContent()
}

// dropRepo removes a repository and sends the event to the webhooks of its organisation; Server.Mu is held.
func (s *Server) dropRepo(r *repository, by string) {
	s.emitRepository(r, "deleted", by)
	delete(s.st.Repos, r.ID)
	maps.DeleteFunc(s.st.Hooks, func(_ int64, h *hook) bool { return h.RepoID == r.ID })
	maps.DeleteFunc(s.st.Moved, func(_ string, id int64) bool { return id == r.ID })
}

func transferRepo(c *call, in struct {
	NewOwner string `json:"new_owner"`
}) *reply {
	if err := c.s.st.renameRepo(c.repo, in.NewOwner, c.repo.Name); err != nil {
		return notFoundAt(c.s.Base)
	}
	c.wrote("repository", "update", c.repo.ID, 0)
	return host.JSON(http.StatusAccepted, c.view().repository(c.repo, c.s.st.role(c.user(), c.repo)))
}

func forkRepo(c *call, in struct {
	Organization string `json:"organization"`
	Name         string `json:"name"`
}) *reply {
	owner := c.s.st.user(host.OrElse(in.Organization, c.actor.login))
	if owner == nil {
		return host.JSON(http.StatusUnprocessableEntity, obj{"message": errNoUser.Error(), "url": c.s.Base + "/api/swagger"})
	}
	name := host.OrElse(in.Name, c.repo.Name)
	if c.s.st.repo(owner.Login, name) != nil {
		return host.JSON(http.StatusConflict, obj{"message": errRepoExists.Error(), "url": c.s.Base + "/api/swagger"})
	}
	f := c.s.fork(c.repo, owner, name, c.actor.login)
	c.wrote("repository", "create", f.ID, 0)
	return host.JSON(http.StatusAccepted, c.view().repository(f, "owner"))
}

// fork makes a fork with the objects and branches of its parent, and sends the event to the webhooks of its
// organisation; Server.Mu is held.
func (s *Server) fork(r *repository, owner *user, name, by string) *repository {
	now := s.NowMicros()
	f := &repository{ID: s.st.ID("repository"), Owner: owner.Login, Name: name, Private: r.Private, DefaultBranch: r.DefaultBranch,
		ForkOf: r.ID, GitID: r.GitID,
		NextNumber: 1, Created: now, Updated: now, Pulls: map[int]*pull{}, git: r.git}
	s.st.Repos[f.ID] = f
	s.emitRepository(f, "created", by)
	return f
}

package policy

import (
	"context"
	"testing"

	"github.com/assay-dev/assay/internal/cache/memcache"
	"github.com/assay-dev/assay/internal/codehost"
	"github.com/assay-dev/assay/internal/domain"
	"github.com/assay-dev/assay/internal/store"
)

// byLogin is a host with requests by login, and byNumber one with requests by number too.
type byLogin struct{ codehost.Host }

func (byLogin) Permission(_ context.Context, _ codehost.Repo, login string) (string, error) {
	return map[string]string{"ann": "write"}[login], nil
}

type byNumber struct {
	byLogin
	people map[domain.HostID]string
}

func (h byNumber) PermissionOf(_ context.Context, _ codehost.Repo, person domain.HostID, _ string) (string, error) {
	word, ok := h.people[person]
	if !ok {
		return "", &codehost.Error{Class: codehost.ClassNotFound}
	}
	return word, nil
}

// An account that took the login of a person who may write may not write. The person keeps the permission
// under a new login.
func TestWhoMayCommandIsAskedByNumber(t *testing.T) {
	t.Parallel()
	people := byNumber{people: map[domain.HostID]string{"3": "maintain", "8": "read"}}
	known := codehost.Repo{ExternalID: "5"}
	for name, tt := range map[string]struct {
		host codehost.Host
		repo codehost.Repo
		cm   codehost.EventComment
		want string
	}{
		"by number":                     {people, known, codehost.EventComment{Author: "anna", AuthorID: "3"}, "maintain"},
		"a login with a new owner":      {people, known, codehost.EventComment{Author: "ann", AuthorID: "8"}, "read"},
		"an unknown account":            {people, known, codehost.EventComment{Author: "ann", AuthorID: "9"}, "none"},
		"an event without the number":   {people, known, codehost.EventComment{Author: "ann"}, "write"},
		"a repository without a number": {people, codehost.Repo{}, codehost.EventComment{Author: "ann", AuthorID: "8"}, "write"},
		"a host without numbers":        {byLogin{}, known, codehost.EventComment{Author: "ann", AuthorID: "8"}, "write"},
	} {
		if got, err := CommenterRole(t.Context(), tt.host, tt.repo, tt.cm); err != nil || got != tt.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func (byNumber) PullRequest(context.Context, codehost.Repo, int) (codehost.PullRequest, error) {
	return codehost.PullRequest{}, nil
}

// unreachable is a host whose repository cannot be reached.
type unreachable struct{ byNumber }

func (unreachable) PullRequest(context.Context, codehost.Repo, int) (codehost.PullRequest, error) {
	return codehost.PullRequest{}, &codehost.Error{Class: codehost.ClassNotFound}
}

// An id that the host does not know may not write, and the host is asked about it again. If the host does not show the pull request
// either, the answer says nothing about the person.
func TestAnUnknownIDIsNotStored(t *testing.T) {
	t.Parallel()
	kept, err := memcache.New(memcache.Options{})
	if err != nil {
		t.Fatal(err)
	}
	a := &Authors{Cache: kept}
	h := byNumber{people: map[domain.HostID]string{}}
	repo, cm := store.Repository{Tenant: "ten_1"}, codehost.EventComment{Author: "ann", AuthorID: "3", Number: 1}
	may := func(host codehost.Host) (bool, error) {
		return a.CommenterMayWrite(t.Context(), host, codehost.Repo{ExternalID: "5"}, repo, cm)
	}
	if got, err := may(unreachable{h}); got || codehost.ClassOf(err) != codehost.ClassNotFound {
		t.Errorf("in a repository that cannot be reached: %v, %v", got, err)
	}
	if got, err := may(h); got || err != nil {
		t.Errorf("an unknown id: %v, %v", got, err)
	}
	h.people["3"] = "write"
	if got, err := may(h); !got || err != nil {
		t.Errorf("the same id, later: %v, %v", got, err)
	}
}

// refusing is a host that refuses to tell a role while err is set, and counts the requests.
type refusing struct {
	codehost.Host
	err   error
	asked int
}

func (h *refusing) Permission(context.Context, codehost.Repo, string) (string, error) {
	h.asked++
	return "write", h.err
}

// A refusal of the host is not stored as the answer that an author may not write.
func TestRefusedRolesAreNotStored(t *testing.T) {
	t.Parallel()
	for _, class := range []codehost.Class{codehost.ClassForbidden, codehost.ClassNotFound} {
		kept, err := memcache.New(memcache.Options{})
		if err != nil {
			t.Fatal(err)
		}
		a := &Authors{Cache: kept}
		h := &refusing{err: &codehost.Error{Class: class, Op: "permission"}}
		repo, cm := store.Repository{Tenant: "ten_1"}, codehost.EventComment{Author: "ann"}
		if may, err := a.MayWrite(t.Context(), h, codehost.Repo{}, repo, "ann", ""); may || err != nil {
			t.Errorf("%s: an author: %v, %v", class, may, err)
		}
		if may, err := a.CommenterMayWrite(t.Context(), h, codehost.Repo{}, repo, cm); may || codehost.ClassOf(err) != class {
			t.Errorf("%s: a commenter: %v, %v", class, may, err)
		}
		h.err = nil
		for range 2 {
			if may, err := a.MayWrite(t.Context(), h, codehost.Repo{}, repo, "ann", ""); !may || err != nil {
				t.Errorf("%s: an author, later: %v, %v", class, may, err)
			}
			if may, err := a.CommenterMayWrite(t.Context(), h, codehost.Repo{}, repo, cm); !may || err != nil {
				t.Errorf("%s: a commenter, later: %v, %v", class, may, err)
			}
		}
		if h.asked != 4 {
			t.Errorf("%s: the host was asked %d times", class, h.asked)
		}
	}
}

package github

import (
	"context"
	"errors"
	"strings"

	"github.com/assay-dev/assay/sim/github/simapi"
)

// UpdateUser renames an account, or changes the members of an organisation (with an organization event for each).
func (s *Server) UpdateUser(_ context.Context, login string, in simapi.UserUpdate) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	defer s.Touch()
	u := s.st.user(login)
	if u == nil {
		return errors.New("login: there is no such account")
	}
	for member, role := range in.Members {
		m := s.st.user(member)
		if m == nil || role != "" && role != "admin" && role != "member" {
			return errors.New(`members: each must be an account with the role "admin", "member", or "" to remove it`)
		}
		action := "member_added"
		if u.Members == nil {
			u.Members = map[string]string{}
		}
		if role == "" {
			delete(u.Members, m.Login)
			action = "member_removed"
		} else {
			u.Members[m.Login] = role
		}
		s.emitOrganization(u, m, role, action)
	}
	if in.Login == "" || in.Login == u.Login {
		return nil
	}
	if err := checkLogin(in.Login); err != nil {
		return err
	}
	if other := s.st.user(in.Login); other != nil && other != u {
		return errors.New("login: another account has it")
	}
	old := u.Login
	s.st.rename(u, in.Login)
	s.emitTarget(u, old)
	return nil
}

// emitTarget sends the event that an installation's account was renamed. Server.Mu is held.
func (s *Server) emitTarget(u *user, old string) {
	v := s.view()
	for _, i := range s.st.Installations {
		if strings.EqualFold(i.Account, u.Login) && i.SuspendedAt == 0 {
			s.enqueue(s.st.Apps[i.AppID], i.ID, 0, "installation_target", "renamed",
				obj{"action": "renamed", "account": v.user(u.Login), "target_type": u.Type,
					"changes": obj{"login": obj{"from": old}}, "sender": v.user(s.st.adminOf(u)),
					"installation": obj{"id": i.ID, "node_id": nodeID("MDIzOkludGVncmF0aW9uSW5zdGFsbGF0aW9u", i.ID)}})
		}
	}
}

// rename gives an account another login name. Its contents keep their author.
func (st *state) rename(u *user, login string) {
	old := u.Login
	delete(st.Users, strings.ToLower(old))
	u.Login = login
	st.Users[strings.ToLower(login)] = u
	move := func(m map[string]string) {
		if role, ok := m[old]; ok {
			delete(m, old)
			m[login] = role
		}
	}
	for _, other := range st.Users {
		move(other.Members)
	}
	swap := func(s *string) {
		if *s == old {
			*s = login
		}
	}
	for _, i := range st.Installations {
		swap(&i.Account)
	}
	for _, r := range st.Repos {
		move(r.Collaborators)
		swap(&r.Owner)
		for _, p := range r.Pulls {
			swap(&p.Author)
			for _, v := range p.Reviews {
				swap(&v.User)
			}
			for _, v := range p.Comments {
				swap(&v.User)
			}
			for _, v := range p.IssueComments {
				swap(&v.User)
			}
		}
	}
}

// UpdateRepo changes the collaborators of a repository (with a member event for each), and the protected
// branches.
func (s *Server) UpdateRepo(_ context.Context, fullName string, in simapi.RepoUpdate) error {
	s.Mu.Lock()
	defer s.Mu.Unlock()
	defer s.Touch()
	r, err := s.st.repoByFullName(fullName)
	if err != nil {
		return err
	}
	r.Protected = append(r.Protected, in.Protect...)
	for login, role := range in.Collaborators {
		u := s.st.user(login)
		if u == nil || role != "" && roleRank[role] == 0 {
			return errors.New(`collaborators: each must be an account with one of the roles, or "" to remove it`)
		}
		action := "added"
		if role == "" {
			delete(r.Collaborators, u.Login)
			action = "removed"
		} else {
			if r.Collaborators == nil {
				r.Collaborators = map[string]string{}
			}
			r.Collaborators[u.Login] = role
		}
		s.emit(r, "member", action, s.st.adminOf(s.st.user(r.Owner)), obj{"member": s.view().user(u.Login)})
	}
	return nil
}

// emitOrganization sends an organization event to the apps that are installed there. Server.Mu is held.
func (s *Server) emitOrganization(org, member *user, role, action string) {
	v := s.view()
	for _, i := range s.st.Installations {
		if !strings.EqualFold(i.Account, org.Login) || i.SuspendedAt != 0 {
			continue
		}
		api := v.api + "/orgs/" + org.Login
		s.enqueue(s.st.Apps[i.AppID], i.ID, 0, "organization", action,
			obj{"action": action, "organization": v.organization(org.Login), "sender": v.user(s.st.adminOf(org)),
				"membership": obj{"url": api + "/memberships/" + member.Login, "state": "active", "role": role, "organization_url": api,
					"user": v.user(member.Login)},
				"installation": obj{"id": i.ID, "node_id": nodeID("MDIzOkludGVncmF0aW9uSW5zdGFsbGF0aW9u", i.ID)}})
	}
}

package store

import "context"

// DropFormerMemberData deletes the roles on repositories that former members have by linked host accounts, and the personal
// data of former members: settings, absences, exclusions, review
// requests, push subscriptions, team memberships and links to host accounts. The hourly upkeep calls it; the removal of a
// membership does the same at once for its person.
func (s *Store) DropFormerMemberData(ctx context.Context) error {
	return s.dropFormerMemberData(ctx, "", "")
}

// dropFormerMemberData is [Store.DropFormerMemberData] for one person in one tenant; "" selects all.
func (s *Store) dropFormerMemberData(ctx context.Context, tenant, user string) error {
	if _, err := s.exec(ctx, `DELETE FROM repository_roles WHERE ($1 = '' OR tenant_id = $1) AND ($2 = '' OR user_id = $2)
		AND EXISTS (SELECT 1 FROM host_account_links i
			JOIN accesses a ON a.tenant_id = i.tenant_id AND a.connection_id = i.connection_id
			JOIN repositories r ON r.tenant_id = a.tenant_id AND r.access_id = a.id
			WHERE i.tenant_id = repository_roles.tenant_id AND i.user_id = repository_roles.user_id AND r.id = repository_roles.repository_id)
		AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.tenant_id = repository_roles.tenant_id
			AND m.user_id = repository_roles.user_id AND `+membershipLives+`)`, tenant, user); err != nil {
		return err
	}
	for _, table := range []string{"personal_settings", "availability", "assignment_exclusions", "review_requests",
		"push_subscriptions", "analytics_team_members", "host_account_links"} {
		if _, err := s.exec(ctx, `DELETE FROM `+table+` WHERE ($1 = '' OR tenant_id = $1) AND ($2 = '' OR user_id = $2)
			AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.tenant_id = `+table+`.tenant_id AND m.user_id = `+table+`.user_id AND `+
			membershipLives+`)`, tenant, user); err != nil {
			return err
		}
	}
	return nil
}

package store

import "context"

// ForgetFormer deletes what people kept in tenants that they no longer belong
// to: settings, times of absence, notification subscriptions, places in teams.
// It is for the hourly upkeep; taking a membership back does the same at once.
func (s *Store) ForgetFormer(ctx context.Context) error { return s.forgetFormer(ctx, "", "") }

// forgetFormer is [Store.ForgetFormer] for one person in one tenant; "" is all.
func (s *Store) forgetFormer(ctx context.Context, tenant, user string) error {
	for _, table := range []string{"personal_settings", "availability", "assignment_exclusions", "review_requests", "push_subscriptions", "analytics_team_members"} {
		if _, err := s.exec(ctx, `DELETE FROM `+table+` WHERE ($1 = '' OR tenant_id = $1) AND ($2 = '' OR user_id = $2)
			AND NOT EXISTS (SELECT 1 FROM memberships m WHERE m.tenant_id = `+table+`.tenant_id AND m.user_id = `+table+`.user_id AND `+lives+`)`, tenant, user); err != nil {
			return err
		}
	}
	return nil
}

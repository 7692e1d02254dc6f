package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/analytics"
)

func (s *server) analyticsSettings(ctx context.Context, _ *InTenant) (*Shown[analytics.AnalyticsSettings], error) {
	v, err := s.Analytics.Settings(ctx, callerFrom(ctx).tenant)
	return shown(v, v.Version, err)
}

func (s *server) putAnalyticsSettings(ctx context.Context, in *struct {
	InTenant
	Guard
	Body analytics.AnalyticsSettingsUpdate
}) (*Shown[analytics.AnalyticsSettings], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	v, err := s.Analytics.PutSettings(ctx, callerFrom(ctx).tenant, version, in.Body)
	return shown(v, v.Version, err)
}

func (s *server) analyticsTeams(ctx context.Context, in *struct {
	InTenant
	Page
}) (*Listed[analytics.AnalyticsTeam], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	rows, err := s.Analytics.Teams(ctx, callerFrom(ctx).tenant, before, limit)
	if err != nil {
		return nil, err
	}
	return newest(rows, in.Limit, func(v analytics.AnalyticsTeam) (time.Time, string) { return v.CreatedAt, v.ID }), nil
}

func (s *server) createAnalyticsTeam(ctx context.Context, in *struct {
	InTenant
	Body analytics.AnalyticsTeamCreate
}) (*Made[analytics.AnalyticsTeam], error) {
	v, err := s.Analytics.CreateTeam(ctx, callerFrom(ctx).tenant, in.Body)
	if err != nil {
		return nil, err
	}
	return &Made[analytics.AnalyticsTeam]{Location: in.path() + "/analytics/teams/" + v.ID, ETag: etag(v.Version), Body: v}, nil
}

func (s *server) updateAnalyticsTeam(ctx context.Context, in *struct {
	InTenant
	Guard
	TeamID string `path:"teamId"`
	Body   analytics.AnalyticsTeamUpdate
}) (*Shown[analytics.AnalyticsTeam], error) {
	version, err := in.version()
	if err != nil {
		return nil, err
	}
	v, err := s.Analytics.UpdateTeam(ctx, callerFrom(ctx).tenant, in.TeamID, version, in.Body)
	return shown(v, v.Version, err)
}

func (s *server) deleteAnalyticsTeam(ctx context.Context, in *struct {
	InTenant
	TeamID string `path:"teamId"`
}) (*Gone, error) {
	return nil, s.Analytics.DeleteTeam(ctx, callerFrom(ctx).tenant, in.TeamID)
}

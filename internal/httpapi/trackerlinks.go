package httpapi

import (
	"context"
	"time"

	"github.com/assay-dev/assay/internal/review/tickets"
)

func (s *server) trackerLinks(ctx context.Context, in *RepositoryPage) (*Listed[tickets.TrackerLink], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	c := callerFrom(ctx)
	rows, err := s.Tickets.Links(ctx, c.tenant, c.repository, tickets.Page{Before: before, Limit: limit})
	if err != nil {
		return nil, err
	}
	return newest(rows, in.Limit, func(v tickets.TrackerLink) (time.Time, string) { return v.CreatedAt, v.ID }), nil
}

func (s *server) acceptanceChecks(ctx context.Context, in *RepositoryPage) (*Listed[AcceptanceCheck], error) {
	before, limit, err := in.window()
	if err != nil {
		return nil, err
	}
	c := callerFrom(ctx)
	rows, err := s.Tickets.Checks(ctx, c.tenant, c.repository, tickets.Page{Before: before, Limit: limit})
	if err != nil {
		return nil, err
	}
	return paged(rows, in.Limit, acceptanceCheck), nil
}

func (s *server) createTrackerLink(ctx context.Context, in *struct {
	InRepository
	Body tickets.TrackerLinkCreate
}) (*Made[tickets.TrackerLink], error) {
	c := callerFrom(ctx)
	v, err := s.Tickets.Add(ctx, c.tenant, c.repository, c.user.ID, in.Body)
	if err != nil {
		return nil, err
	}
	return &Made[tickets.TrackerLink]{Location: in.path() + "/tracker-links/" + v.ID, ETag: etag(1), Body: v}, nil
}

func (s *server) deleteTrackerLink(ctx context.Context, in *struct {
	InRepository
	LinkID string `path:"linkId"`
}) (*Gone, error) {
	c := callerFrom(ctx)
	return nil, s.Tickets.Remove(ctx, c.tenant, c.repository, c.user.ID, in.LinkID)
}

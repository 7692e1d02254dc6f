package github

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
)

func (v view) hookConfig(a *app) obj {
	o := obj{"url": a.WebhookURL, "content_type": "json", "insecure_ssl": "0"}
	if a.WebhookSecret != "" {
		o["secret"] = "********"
	}
	return o
}

func getHookConfig(c *call) *reply {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	return ok(c.view().hookConfig(c.actor.app))
}

func patchHookConfig(c *call) *reply {
	var in struct {
		URL    *string `json:"url"`
		Secret *string `json:"secret"`
	}
	if bad := c.decode(&in); bad != nil {
		return bad
	}
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	if in.URL != nil {
		c.actor.app.WebhookURL = *in.URL
	}
	if in.Secret != nil {
		c.actor.app.WebhookSecret = *in.Secret
	}
	c.wrote("hook_config", "update", c.actor.app.HookID, 0)
	return ok(c.view().hookConfig(c.actor.app))
}

func (d *delivery) json() obj {
	o := obj{"id": d.ID, "guid": d.GUID, "delivered_at": d.Delivered.rfc3339(), "redelivery": d.Redelivery, "duration": float64(d.DurationMS) / 1000,
		"status": d.Status, "status_code": d.StatusCode, "event": d.Event, "action": orNil(d.Action), "installation_id": nil, "repository_id": nil, "throttled_at": nil}
	if d.InstallationID != 0 {
		o["installation_id"] = d.InstallationID
	}
	if d.RepositoryID != 0 {
		o["repository_id"] = d.RepositoryID
	}
	return o
}

// listDeliveries is GET /app/hook/deliveries: newest first, paged by cursor.
func listDeliveries(c *call) *reply {
	size := c.paging().size
	cursor, _ := strconv.ParseInt(c.query.Get("cursor"), 10, 64)
	c.s.mu.Lock()
	var list []obj
	var next int64
	for _, d := range slices.Backward(c.s.st.Deliveries) {
		if d.AppID != c.actor.app.ID || !d.Done || (cursor != 0 && d.ID > cursor) {
			continue
		}
		succeeded := d.StatusCode >= 200 && d.StatusCode < 400
		if st := c.query.Get("status"); (st == "success" && !succeeded) || (st == "failure" && succeeded) {
			continue
		}
		if len(list) == size {
			next = d.ID
			break
		}
		list = append(list, d.json())
	}
	c.s.mu.Unlock()
	if list == nil {
		list = []obj{}
	}
	rep := ok(list)
	if next != 0 {
		q := c.r.URL.Query()
		q.Set("cursor", strconv.FormatInt(next, 10))
		rep.set("Link", fmt.Sprintf(`<%s%s?%s>; rel="next"`, c.s.BaseURL(), c.r.URL.EscapedPath(), q.Encode()))
	}
	return rep
}

func (c *call) delivery() *delivery {
	id := c.number("delivery_id")
	for _, d := range c.s.st.Deliveries {
		if d.ID == id && d.AppID == c.actor.app.ID {
			return d
		}
	}
	return nil
}

func getDelivery(c *call) *reply {
	c.s.mu.Lock()
	defer c.s.mu.Unlock()
	d := c.delivery()
	if d == nil || !d.Done {
		return notFound()
	}
	o := d.json()
	o["url"] = d.URL
	o["request"] = obj{"headers": d.Headers, "payload": json.RawMessage(d.Payload)}
	o["response"] = obj{"headers": d.ResponseHeaders, "payload": orNil(d.Response)}
	return ok(o)
}

func redeliver(c *call) *reply {
	c.s.mu.Lock()
	d := c.delivery()
	c.s.mu.Unlock()
	if d == nil {
		return notFound()
	}
	if err := c.s.Redeliver(c.ctx, d.ID, 1); err != nil {
		return unprocessable(err.Error())
	}
	c.wrote("delivery", "create", d.ID, 0)
	return answer(http.StatusAccepted, obj{})
}

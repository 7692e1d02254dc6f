package publish_test

// What a worker of checked_model_test.go does, and the host.

func (p checked) act(w place, fenced bool, to func(place, uint8, uint8)) {
	switch {
	case !fenced:
		to(w, pcIdle, 0)
	case w.phase == phasePrepared && p.blindCreate:
		w.phase = phaseCreating
		to(w, pcSendCreate, 0)
	case w.phase == phasePrepared || w.phase == phaseCreating:
		to(w, pcList, 0)
	case w.phase == phaseChosen:
		to(w, pcQuiet, w.chosen)
	default:
		to(w, pcGet, w.chosen)
	}
}

// list looks at the drafts that are there, before each create.
func (p checked) list(w place, fenced bool, to func(place, uint8, uint8), ends func(uint8)) {
	newest := 0
	for i, o := range w.objects {
		if o.state == objPending || o.state == objVisible {
			newest = i + 1
		}
	}
	p.listed(w, 0, fenced, to, ends)
	if p.lag && newest != 0 {
		p.listed(w, newest, fenced, to, ends)
	}
}

// listed is what follows from a list that misses an object, 0 for none.
func (p checked) listed(w place, misses int, fenced bool, to func(place, uint8, uint8), ends func(uint8)) {
	for i, o := range w.objects {
		id := uint8(i + 1)
		switch {
		case i+1 == misses || o.state != objPending && (o.state != objVisible || !o.mark):
		case o.person && !p.greedy && !p.blindCreate:
			ends(phaseAbandoned)
			return
		case o.mark:
			to(w, pcChoose, id)
			return
		case p.blindCreate:
		case fenced:
			to(w, pcSendOrphan, id)
			return
		}
	}
	if !fenced {
		to(w, pcIdle, 0)
		return
	}
	w.phase = phaseCreating
	to(w, pcSendCreate, 0)
}

// compare holds the chosen draft against what was frozen.
func (p checked) compare(w place, id uint8, fenced bool, to func(place, uint8, uint8), ends func(uint8)) {
	if w.chosen != id {
		to(w, pcIdle, 0)
		return
	}
	switch o := w.objects[id-1]; {
	case o.state == objVisible:
		to(w, pcPublish, id)
	case o.state == objGone && w.deleting:
		to(w, pcClear, id)
	case o.state == objGone:
		ends(phaseAbandoned)
	case o.whole() || p.blindSubmit:
		to(w, pcIntend, id)
	case o.person && !p.greedy:
		ends(phaseAbandoned)
	case p.keepsDraft:
		to(w, pcClear, id)
	case !fenced || w.phase != phaseChosen:
		to(w, pcIdle, 0)
	default:
		w.deleting = true
		to(w, pcSendDelete, id)
	}
}

// resolve is what may become of a request.
func (p checked) resolve(w place, i int, emit func(place)) {
	r := w.flight[i]
	dropped := w
	dropped.flight[i] = request{}
	whole, part, id, possible := dropped.apply(r)
	if r.sender == 0 { // applied late, or never
		emit(dropped)
		if possible {
			emit(whole)
			emit(part)
		}
		return
	}
	s := int(r.sender - 1)
	lost := func(n place) {
		n.workers[s].pc = pcAct
		if r.kind == sendsSubmit {
			n.workers[s].pc = pcGet
		}
		emit(n)
	}
	lost(dropped)
	late := w
	late.flight[i].sender = 0
	lost(late)
	if !possible {
		return
	}
	lost(whole)
	lost(part) // answered with 500
	n := whole
	switch {
	case r.kind == sendsCreate:
		n.workers[s].pc, n.workers[s].id = pcChoose, id
	case r.kind == sendsOrphan:
		n.workers[s].pc = pcAct
	case r.kind == sendsDelete && n.objects[r.target-1].state == objVisible: // refused
		n.workers[s].pc = pcAct
	case r.kind == sendsDelete:
		n.workers[s].pc = pcClear
	case n.objects[r.target-1].state != objVisible: // refused: it is gone
		n.workers[s].pc = pcGet
	default:
		n.workers[s].pc = pcPublish
	}
	emit(n)
}

// apply is the host: with all of a request, and with a part of it.
func (w place) apply(r request) (whole, part place, id uint8, possible bool) {
	if r.kind != sendsCreate {
		o := &w.objects[r.target-1]
		if o.state == objPending {
			o.state = objGone
			if r.kind == sendsSubmit {
				o.state = objVisible
			}
		}
		return w, w, r.target, true
	}
	at := -1
	for i, o := range w.objects {
		if o.state == objPending {
			at = i
			break
		}
		if o.state == objNone && at < 0 {
			at = i
		}
	}
	if at < 0 {
		return w, w, 0, false
	}
	o := &w.objects[at]
	o.state, o.first = objPending, min(o.first+1, 2)
	part = w
	o.second, o.mark = min(o.second+1, 2), true
	return w, part, uint8(at + 1), true
}

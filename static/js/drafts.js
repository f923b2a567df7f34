// What is typed into the form is kept in this tab at once, so that a reload or a crash finds it: by person, run and
// revision, until the server has it or it is submitted.
const PREFIX = "draft:";
const OWN = ["csrfmiddlewaretoken", "revision"]; // the form's, not the person's

/** The copy of one form. `names` is its list of missing fields (tokens.js). */
export function draft(form, names) {
  const key = PREFIX + form.dataset.draft;
  const asideKey = `${key}:aside`;
  forgetOthers(form.dataset.draft.split(":")[0]);
  const said = () => [...new FormData(form)].filter(([name]) => !OWN.includes(name));

  return {
    keep: () => attempt(() => sessionStorage.setItem(key, JSON.stringify(said()))),
    forget: () => attempt(() => sessionStorage.removeItem(key)),
    forgetAll: () => attempt(() => [key, asideKey].forEach((one) => sessionStorage.removeItem(one))),
    /** The stored form is another tab's by now: what was typed here is kept, and put back only where that is asked for. */
    setAside() {
      attempt(() => sessionStorage.setItem(asideKey, JSON.stringify(said())));
      attempt(() => sessionStorage.removeItem(key));
    },
    isAside: () => Boolean(attempt(() => sessionStorage.getItem(asideKey))),
    putBack() {
      fill(form, names, JSON.parse(sessionStorage.getItem(asideKey)));
      sessionStorage.removeItem(asideKey);
    },
    /** Fill in what was kept; whether that changed anything. */
    restore() {
      const kept = attempt(() => sessionStorage.getItem(key));
      if (!kept || kept === JSON.stringify(said())) return false;
      fill(form, names, JSON.parse(kept));
      return true;
    },
  };
}

function fill(form, names, entries) {
  const values = new Map();
  for (const [name, value] of entries) values.set(name, [...(values.get(name) ?? []), value]);
  names.set(values.get(names.field) ?? []);
  for (const control of form.elements) {
    const name = control.name || control.dataset.name; // a value that is not corrected has no name (corrections.js)
    const given = values.get(name) ?? [];
    if (!name || control.type === "hidden") continue;
    if (control.matches("[type=radio], [type=checkbox]")) control.checked = given.includes(control.value);
    else if (given.length) {
      control.value = given[0];
      control.dispatchEvent(new Event("input"));
    }
  }
}

/** Whoever used this tab before. */
function forgetOthers(person) {
  attempt(() => {
    for (const key of Object.keys(sessionStorage)) {
      if (key.startsWith(PREFIX) && !key.startsWith(`${PREFIX}${person}:`)) sessionStorage.removeItem(key);
    }
  });
}

function attempt(act) {
  try {
    return act();
  } catch {
    return undefined; // storage refused or full: the server's copy remains
  }
}

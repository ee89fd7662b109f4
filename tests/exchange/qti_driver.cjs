// Plays QTI 3 items with the QTI 3 Item Player of amp-up.io and prints what it scores.
// node qti_driver.cjs FOLDER_WITH_NODE_MODULES ASKED.json: {name: {file, responses: {id: value}}} in,
// {name: {ready, score, text, faults}} out. The player wants a browser: happy-dom plays one.
const fs = require('fs')
const Module = require('module')
const path = require('path')

const [home, asked] = process.argv.slice(2)
const from = { paths: [path.resolve(home)] }
const { Window } = require(require.resolve('happy-dom', from))
const window = new Window({ url: 'http://localhost/' })
for (const name of ['document', 'navigator', 'DOMParser', 'XMLSerializer', 'HTMLElement', 'Element', 'Node', 'Text',
  'MutationObserver', 'Event', 'CustomEvent', 'SVGElement', 'Image', 'Range', 'location', 'localStorage']) {
  Object.defineProperty(globalThis, name, { value: window[name], configurable: true, writable: true })
}
globalThis.window = window
for (const name of ['getComputedStyle', 'requestAnimationFrame', 'cancelAnimationFrame']) globalThis[name] = window[name].bind(window)

// items become templates at run time: that takes the Vue that has its compiler
const player = require.resolve('qti3-item-player', from)
const vue = path.join(require.resolve('vue', { paths: [player] }), '..', 'vue.common.dev.js')
const resolve = Module._resolveFilename
Module._resolveFilename = (name, ...rest) => (name === 'vue' ? vue : resolve(name, ...rest))
const Vue = require('vue')
Vue.config.productionTip = Vue.config.devtools = false
const Player = require(player)
const print = console.log
const until = async (done) => {
  for (let tries = 0; tries < 300 && !done(); tries++) await new Promise((go) => setTimeout(go, 10))
}

async function play (xml, responses) {
  const faults = []
  console.log = () => {}
  console.error = console.warn = (...told) => faults.push(told.map(String).join(' ').slice(0, 300))
  let handle = null
  let ready = false
  let state = null
  const on = {
    notifyQti3PlayerReady: (one) => { handle = one },
    notifyQti3ItemReady: () => { ready = true },
    notifyQti3ScoreAttemptCompleted: (data) => { state = data.state }
  }
  const host = window.document.body.appendChild(window.document.createElement('div'))
  const props = { suppressAlertMessages: true, suppressInvalidResponseMessages: true }
  const app = new Vue({ render: (make) => make(Player, { props, on }) }).$mount(host)
  await until(() => handle)
  const given = Object.entries(responses).map(([identifier, value]) => ({ identifier, value, state: null }))
  handle.loadItemFromXml(xml, {
    guid: 'g',
    status: 'interacting',
    sessionControl: { max_attempts: 0, show_feedback: false, validate_responses: false },
    state: { identifier: '', guid: 'g', contextVariables: [], responseVariables: given, outcomeVariables: [],
      templateVariables: [], validationMessages: [] }
  })
  await until(() => ready)
  if (ready) handle.scoreAttempt('score')
  await until(() => state)
  const text = window.document.body.textContent
  app.$destroy()
  window.document.body.innerHTML = ''
  const score = state && state.outcomeVariables.find((one) => one.identifier === 'SCORE').value
  return { ready, score, text, faults }
}

(async () => {
  const found = {}
  for (const [name, one] of Object.entries(JSON.parse(fs.readFileSync(asked, 'utf8')))) {
    found[name] = await play(fs.readFileSync(one.file, 'utf8'), one.responses)
  }
  print(JSON.stringify(found))
  process.exit(0)
})()

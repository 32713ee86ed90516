// Adds a field for a file to text areas that take a CSV: the text of the file goes into the text area. Without script, people paste it.

for (const area of document.querySelectorAll<HTMLTextAreaElement>('textarea[data-csv-file]')) {
  const label = document.createElement('label')
  label.textContent = 'Or choose a file'
  const file = document.createElement('input')
  file.type = 'file'
  file.accept = '.csv,text/csv,text/plain'
  file.id = `${area.id}-file`
  label.htmlFor = file.id
  const field = document.createElement('div')
  field.className = 'field'
  field.append(label, file)
  area.closest('.field')?.after(field)
  file.addEventListener('change', () => {
    const [chosen] = file.files ?? []
    if (!chosen) return
    void chosen.text().then(text => {
      area.value = text
    })
  })
}
